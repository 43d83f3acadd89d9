import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { numberToHex } from 'viem'
import { expect, test } from 'vitest'
import { isLong } from '../../../test/sized.ts'
import { buildFolder, openBare } from '../fixtures/bare-chain.ts'
import { temporaryDir } from '../fixtures/testing.ts'
import { listSnapshots, logFile, pastFolder, removePastAfter, removeSuperseded, snapshotFile } from '../kit/files.ts'

test.runIf(isLong)('a block is traced as before, long after the engine has forgotten it', async () => {
  await using dir = await temporaryDir()
  const { number: built } = await buildFolder(dir.path)
  await using bare = await openBare(dir.path)
  const { chain } = bare
  const trace = async (number: number) =>
    await chain.read('debug_traceBlockByNumber', [numberToHex(number), { tracer: 'callTracer' }], { lane: 'public' })
  for (let block = 0; block < 4; block += 1) {
    await bare.send(2)
    await bare.produceBlock()
  }
  const { number: old } = chain.head()
  const recent = [old, old - 2]
  const before = await Promise.all(recent.map(trace))
  await chain.snapshot()
  for (let block = 0; block < 3; block += 1) await bare.produceBlock()
  await chain.snapshot()
  await bare.engine().kill()
  await expect(
    chain.read('eth_getCode', ['0x00000000000000000000000000000000000000aa', numberToHex(old)]),
  ).rejects.toThrow('state not available')
  const spent: number[] = []
  const caller = { name: 'ada', spent: (gas: number) => void spent.push(gas) }
  expect(
    await chain.read('debug_traceBlockByNumber', [numberToHex(old), { tracer: 'callTracer' }], { caller }),
  ).toEqual(before[0])
  expect(spent).toEqual([(old - built) * 50_000])
  expect(await Promise.all(recent.map(trace))).toEqual(before)
  // The first block with transactions was mined from the state that every engine starts with.
  expect(await trace(1)).toHaveLength(
    ((await chain.read('eth_getBlockByNumber', ['0x1', false])) as { transactions: [] }).transactions.length,
  )
  expect(await trace(old)).toEqual(before[0])
  // A damaged state is passed over, and the engine that met it does not stay.
  writeFileSync(snapshotFile(join(dir.path, 'chain'), old - 3), 'damaged')
  expect(await trace(old - 1)).toHaveLength(3)
  const line = Array.from({ length: 20 }, (_, index) =>
    chain
      .read('debug_traceBlockByNumber', ['0x2', { tracer: 'callTracer', timeout: `${index}s` }], { lane: 'public' })
      .then(
        () => 'traced',
        ({ message }) => message,
      ),
  )
  expect(new Set(await Promise.all(line))).toEqual(
    new Set(['traced', 'too many old blocks are being run again: try again in a few seconds']),
  )
})

test('superseded states are kept some way apart', () => {
  const dir = mkdtempSync(join(tmpdir(), 'states-'))
  try {
    for (let block = 500; block <= 9_000; block += 500) {
      writeFileSync(snapshotFile(dir, block), 'state')
      writeFileSync(logFile(dir, block), 'log')
      removeSuperseded(dir, 128)
    }
    expect(listSnapshots(dir)).toEqual([9_000, 8_500])
    expect(listSnapshots(pastFolder(dir))).toEqual([8_000, 6_000, 4_000, 2_000])
    removePastAfter(dir, 5_000)
    expect(listSnapshots(pastFolder(dir))).toEqual([4_000, 2_000])
    expect([existsSync(logFile(dir, 8_500)), existsSync(logFile(dir, 8_000))]).toEqual([true, false])
  } finally {
    rmSync(dir, { recursive: true })
  }
})
