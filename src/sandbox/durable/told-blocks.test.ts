import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { buildFolder, openBare } from '../fixtures/bare-chain.ts'
import { recordsIn } from '../fixtures/records.ts'
import { temporaryDir, treasury } from '../fixtures/testing.ts'
import { listLogs, logFile } from './files.ts'

test('nobody hears of a block that a kill could still change: it is in the log by then', async () => {
  await using dir = await temporaryDir()
  await buildFolder(dir.path)
  const folder = join(dir.path, 'chain')
  const newestLogged = () => {
    const after = listLogs(folder).at(-1) ?? 0
    const { records } = recordsIn(readFileSync(logFile(folder, after), 'latin1'), 'log')
    return records.findLast((record) => record.type === 'block')?.number ?? after
  }
  const unlogged: number[] = []
  await using bare = await openBare(
    dir.path,
    () => {},
    (block) => block > newestLogged() && unlogged.push(block),
  )
  for (let block = 0; block < 20; block += 1) {
    await bare.send(2)
    await bare.seal()
    expect(newestLogged()).toBe(bare.chain.head().number)
  }
  expect(unlogged).toEqual([])
})

test('who is shown a receipt is shown its block as the newest too', async () => {
  await using dir = await temporaryDir()
  await buildFolder(dir.path)
  await using bare = await openBare(dir.path)
  const wrong: unknown[] = []
  let last: string | undefined
  let over = false
  const reading = (async () => {
    while (!over) {
      await new Promise((resolve) => setImmediate(resolve))
      if (last !== undefined) {
        const receipt = (await bare.chain.read('eth_getTransactionReceipt', [last])) as { blockNumber: string } | null
        const newest = await bare.chain.read('eth_blockNumber', [])
        if (receipt !== null && Number(receipt.blockNumber) > Number(newest)) wrong.push([receipt.blockNumber, newest])
      }
    }
  })()
  for (let block = 0; block < 30; block += 1) {
    const hashes = await bare.send(3)
    last = hashes.at(-1)
    await bare.seal()
  }
  over = true
  await reading
  expect(wrong).toEqual([])
})

test('who is told the newest state is shown its block as the newest too', async () => {
  await using dir = await temporaryDir()
  await buildFolder(dir.path)
  await using bare = await openBare(dir.path)
  const [sent, first] = [3, bare.chain.head().number]
  const countOf = async () => Number(await bare.chain.read('eth_getTransactionCount', [treasury.address, 'latest']))
  const begun = await countOf()
  const wrong: unknown[] = []
  let over = false
  const reading = (async () => {
    while (!over) {
      const told = await Promise.all(Array.from({ length: 20 }, countOf))
      const newest = Number(await bare.chain.read('eth_blockNumber', []))
      const most = begun + sent * (newest - first)
      wrong.push(...told.filter((count) => count > most))
    }
  })()
  for (let block = 0; block < 30; block += 1) {
    await bare.send(sent)
    await bare.seal()
  }
  over = true
  await reading
  expect(wrong).toEqual([])
})
