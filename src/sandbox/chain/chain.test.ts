import { expect, test } from 'vitest'
import { buildFolder, openBare } from '../fixtures/bare-chain.ts'
import { temporaryDir } from '../fixtures/testing.ts'

test('a block is recorded once, by the chain, however many engines replay it', async () => {
  await using dir = await temporaryDir()
  const { number: built } = await buildFolder(dir.path)
  const recorded: number[] = []
  await using bare = await openBare(
    dir.path,
    () => {},
    (block) => recorded.push(block),
  )
  recorded.length = 0
  const { chain } = bare
  const from = chain.head().number + 1
  for (let block = 0; block < 3; block += 1) await bare.produceBlock()
  const before = bare.engine()
  await chain.replaceEngine()
  expect(bare.engine()).not.toBe(before)
  await bare.produceBlock()
  expect(from).toBeGreaterThan(built)
  expect(recorded).toEqual([from, from + 1, from + 2, from + 3])
})
