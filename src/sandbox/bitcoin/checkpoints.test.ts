import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createBitcoinWorld } from './chain.ts'
import { fileCheckpoints } from './checkpoints.ts'

const terms = { start: 1_790_000_000, seconds: 30 }
const folder = mkdtempSync(join(tmpdir(), 'bitcoin-marks-'))
const path = join(folder, 'marks.json')
afterAll(() => rmSync(folder, { recursive: true }))

const [told, height] = [2_016, 3 * 2_016 + 10]
const now = terms.start + height * terms.seconds

const unexpected = (thrown: unknown) => {
  throw thrown
}

test('a chain that is taken up at a mark is the one that was mined from its first block on', async () => {
  const whole = createBitcoinWorld(terms, fileCheckpoints(path, terms, unexpected))
  const tip = await whole.tip(now)
  const marks = fileCheckpoints(path, terms, unexpected)
  expect(marks.read().map((mark) => mark.height)).toEqual([2 * told, 3 * told])
  const heights: number[] = []
  const resumed = createBitcoinWorld(terms, { read: marks.read, keep: (mark) => heights.push(mark.height) })
  expect(await resumed.tip(now)).toEqual(tip)
  for (let back = 0; back <= told; back += 1) expect(resumed.at(height - back)).toEqual(whole.at(height - back))
  expect([heights, resumed.at(0)]).toEqual([[3 * told], null])
  expect(await resumed.tip(now + 900)).toEqual(await whole.tip(now + 900))
}, 120_000)

test('marks that are young, broken or of another chain are passed over', async () => {
  const young = createBitcoinWorld(terms, fileCheckpoints(path, terms, unexpected))
  expect((await young.tip(terms.start + 3_000)).height).toBe(100)
  expect(young.at(0)?.height).toBe(0)
  expect(fileCheckpoints(path, { ...terms, start: terms.start + 1 }, unexpected).read()).toEqual([])
  writeFileSync(path, readFileSync(path, 'utf8').slice(0, -40))
  expect(fileCheckpoints(path, terms, unexpected).read()).toEqual([])
})

test('a mark that cannot be written is told of, and the chain goes on', async () => {
  const told: unknown[] = []
  const marks = fileCheckpoints(join(folder, 'missing', 'marks.json'), terms, (thrown) => told.push(thrown))
  const world = createBitcoinWorld(terms, marks)
  expect((await world.tip(terms.start + 2_020 * terms.seconds)).height).toBe(2_020)
  expect([told, marks.read().length]).toEqual([[expect.objectContaining({ code: 'ENOENT' })], 1])
}, 120_000)
