import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createRegtestChain } from './chain.ts'
import { fileCheckpoints } from './checkpoints.ts'

const terms = { start: 1_790_000_000, seconds: 30 }
const folder = mkdtempSync(join(tmpdir(), 'bitcoin-marks-'))
const path = join(folder, 'marks.json')
afterAll(() => rmSync(folder, { recursive: true }))

const [retained, height] = [2_016, 3 * 2_016 + 10]
const now = terms.start + height * terms.seconds

const unexpected = (thrown: unknown) => {
  throw thrown
}

test('a chain resumed from a checkpoint equals the one mined from its first block on', async () => {
  const whole = createRegtestChain(terms, fileCheckpoints(path, terms, unexpected))
  const tip = await whole.tip(now)
  const stored = fileCheckpoints(path, terms, unexpected)
  expect(stored.read().map((checkpoint) => checkpoint.height)).toEqual([2 * retained, 3 * retained])
  const heights: number[] = []
  const resumed = createRegtestChain(terms, { read: stored.read, add: ({ height }) => heights.push(height) })
  expect(await resumed.tip(now)).toEqual(tip)
  for (let back = 0; back <= retained; back += 1) expect(resumed.at(height - back)).toEqual(whole.at(height - back))
  expect([heights, resumed.at(0)]).toEqual([[3 * retained], null])
  const earlier = join(folder, 'earlier.json')
  writeFileSync(earlier, readFileSync(path, 'utf8').replaceAll('"change":', '"purse":'))
  expect(fileCheckpoints(earlier, terms, unexpected).read()).toEqual(stored.read())
  expect(await resumed.tip(now + 900)).toEqual(await whole.tip(now + 900))
})

test('checkpoints that are too young, broken or of another chain are ignored', async () => {
  const young = createRegtestChain(terms, fileCheckpoints(path, terms, unexpected))
  expect((await young.tip(terms.start + 3_000)).height).toBe(100)
  expect(young.at(0)?.height).toBe(0)
  expect(fileCheckpoints(path, { ...terms, start: terms.start + 1 }, unexpected).read()).toEqual([])
  writeFileSync(path, readFileSync(path, 'utf8').slice(0, -40))
  expect(fileCheckpoints(path, terms, unexpected).read()).toEqual([])
})

test('a checkpoint that cannot be written is reported, and the chain goes on', async () => {
  const failures: unknown[] = []
  const path = join(folder, 'missing', 'marks.json')
  const checkpoints = fileCheckpoints(path, terms, (thrown) => failures.push(thrown))
  const chain = createRegtestChain(terms, checkpoints)
  expect((await chain.tip(terms.start + 2_020 * terms.seconds)).height).toBe(2_020)
  expect([failures, checkpoints.read().length]).toEqual([[expect.objectContaining({ code: 'ENOENT' })], 1])
})
