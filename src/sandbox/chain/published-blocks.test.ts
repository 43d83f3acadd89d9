import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { buildFolder, openBare } from '../fixtures/bare-chain.ts'
import { recordsIn } from '../fixtures/records.ts'
import { temporaryDir, treasury } from '../fixtures/testing.ts'
import { listLogs, logFile } from '../kit/files.ts'

test('a block is in the log before it is published, so that no kill can change it', async () => {
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
    await bare.produceBlock()
    expect(newestLogged()).toBe(bare.chain.head().number)
  }
  expect(unlogged).toEqual([])
})

test('a client that can read a receipt reads its block as the newest too', async () => {
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
    await bare.produceBlock()
  }
  over = true
  await reading
  expect(wrong).toEqual([])
})

test('a client that can read the newest or pending state reads its block as the newest too', async () => {
  await using dir = await temporaryDir()
  await buildFolder(dir.path)
  await using bare = await openBare(dir.path)
  const [blocks, sent, first] = [30, 3, bare.chain.head().number]
  const countOf = async () => Number(await bare.chain.read('eth_getTransactionCount', [treasury.address, 'latest']))
  // Returns the number of the block that it runs in.
  const numberCall = { data: '0x435f5260205ff3' }
  const pendingOf = async () => Number(await bare.chain.read('eth_call', [numberCall, 'pending']))
  const begun = await countOf()
  const wrong: unknown[] = []
  let [reads, over] = [0, false]
  const reading = (async () => {
    while (!over) {
      const counts = await Promise.all(Array.from({ length: 20 }, countOf))
      const most = begun + sent * (Number(await bare.chain.read('eth_blockNumber', [])) - first)
      wrong.push(...counts.filter((count) => !(count <= most)))
      const next = await Promise.all(Array.from({ length: 20 }, pendingOf))
      const newest = Number(await bare.chain.read('eth_blockNumber', []))
      wrong.push(...next.filter((number) => !(number <= newest + 1)))
      reads += counts.length + next.length
    }
  })()
  for (let block = 0; block < blocks; block += 1) {
    await bare.send(sent)
    await bare.produceBlock()
  }
  over = true
  await reading
  expect(wrong).toEqual([])
  expect(reads).toBeGreaterThan(blocks)
  expect(await countOf()).toBe(begun + blocks * sent)
})

test('the pending transaction count of an account is complete, also while a block is mined', async () => {
  await using dir = await temporaryDir()
  await buildFolder(dir.path)
  await using bare = await openBare(dir.path)
  const params = [treasury.address, 'pending']
  const countOf = async () => Number(await bare.chain.read('eth_getTransactionCount', params))
  let sent = await countOf()
  const short: unknown[] = []
  let [reads, over] = [0, false]
  const reading = (async () => {
    while (!over) {
      const least = sent
      const counts = await Promise.all(Array.from({ length: 20 }, countOf))
      short.push(...counts.filter((count) => !(count >= least)))
      reads += counts.length
    }
  })()
  for (let block = 0; block < 20; block += 1) {
    sent += (await bare.send(5)).length
    const sealing = bare.produceBlock()
    sent += (await bare.send(5)).length
    await sealing
  }
  over = true
  await reading
  expect(short).toEqual([])
  expect(reads).toBeGreaterThan(20)
})
