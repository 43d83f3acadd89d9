import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Hex, numberToHex } from 'viem'
import { expect, test } from 'vitest'
import { isLong } from '../../test/sized.ts'
import { type BareChain, buildFolder, openBare } from './fixtures/bare-chain.ts'
import { collectLines, temporaryDir, treasury, until } from './fixtures/testing.ts'
import type { ChainEvent } from './kit/events.ts'
import type { Head } from './log/records.ts'
import { startSequencer } from './sequencing/sequencer.ts'
import { createUpkeep, defaultLimits } from './sequencing/upkeep.ts'

async function grow(bare: BareChain, blocks: number, transactions = 3): Promise<void> {
  for (let block = 0; block < blocks; block += 1) {
    await bare.send(transactions)
    await bare.produceBlock()
  }
}

type Read = (method: string, params: readonly unknown[]) => Promise<unknown>

/** The result of a call, or its error. */
const outcome = (read: Read, method: string, params: readonly unknown[]) =>
  read(method, params).catch(({ code, message }: { code: number; message: string }) => ({ code, message }))

/** The results of all reads about a range of mined blocks, as text. */
async function everything(read: Read, from: number, to: number): Promise<string[]> {
  const results: string[] = []
  const note = async (method: string, ...params: unknown[]) => {
    const result = await outcome(read, method, params)
    results.push(JSON.stringify([method, params, result]))
    return result
  }
  for (let number = from; number <= to; number += 1) {
    const id = numberToHex(number)
    const block = await note('eth_getBlockByNumber', id, true)
    const { hash, transactions } = block as { hash: Hex; transactions: { hash: Hex }[] }
    await note('eth_getBlockByHash', hash, false)
    await note('eth_getBlockTransactionCountByHash', hash)
    await note('eth_getBlockTransactionCountByNumber', id)
    await note('eth_getBlockReceipts', id)
    await note('eth_getBlockReceipts', { blockHash: hash })
    await note('eth_getLogs', { blockHash: hash })
    await note('eth_getTransactionByBlockNumberAndIndex', id, '0x1')
    await note('eth_getTransactionByBlockHashAndIndex', hash, '0x63')
    for (const transaction of transactions) {
      await note('eth_getTransactionByHash', transaction.hash)
      await note('eth_getTransactionReceipt', transaction.hash)
    }
  }
  const range = { fromBlock: numberToHex(from), toBlock: numberToHex(to) }
  const [first] = (await note('eth_getLogs', range)) as { address: Hex; topics: Hex[] }[]
  const { address, topics } = first as { address: Hex; topics: Hex[] }
  for (const filter of [
    { address },
    { address: [address, treasury.address], topics: [topics[0]] },
    { topics: [null, topics[1]] },
    { topics: [[topics[0], topics[1]], []] },
    { address: treasury.address },
  ])
    await note('eth_getLogs', { ...range, ...filter })
  await note('eth_getLogs', { fromBlock: numberToHex(to - 3), toBlock: numberToHex(to) })
  await note('eth_getBlockByNumber', 'earliest', false)
  await note('eth_feeHistory', numberToHex(to - from + 1), numberToHex(to), [0, 25, 50, 99.5])
  return results
}

async function produceOn(bare: BareChain, blocks: number): Promise<void> {
  for (let block = 0; block < blocks; block += 1) await bare.produceBlock()
}

test('reads of mined blocks give the results of the engine that mined them, whichever engine is running', async () => {
  await using dir = await temporaryDir()
  const { number: built } = await buildFolder(dir.path)
  const events: ChainEvent[] = []
  const emit = (event: ChainEvent) => events.push(event)
  let head: Head
  let mined: string[]
  {
    await using bare = await openBare(dir.path, emit)
    await grow(bare, 8)
    await bare.chain.snapshot()
    await grow(bare, 8)
    head = bare.chain.head()
    const first = bare.engine()
    mined = await everything(first.call, built + 1, head.number)
    expect(await everything(bare.chain.read, built + 1, head.number)).toEqual(mined)
    mined = await everything(bare.chain.read, 0, head.number)

    const waiting = await bare.send(2)
    const replacing = bare.chain.replaceEngine()
    await grow(bare, 5)
    await replacing
    expect(events).toContainEqual(expect.objectContaining({ type: 'engine-replaced', stateFrom: built }))
    expect(bare.engine().pid).not.toBe(first.pid)
    expect(first.alive()).toBe(false)
    await grow(bare, 2)
    expect(await bare.chain.read('eth_getTransactionReceipt', waiting.slice(1))).not.toBeNull()
    expect(await everything(bare.chain.read, 0, head.number)).toEqual(mined)

    await bare.engine().kill()
    expect(await everything(bare.chain.read, 0, head.number)).toEqual(mined)
    await grow(bare, 2)
    head = bare.chain.head()
    mined = await everything(bare.chain.read, 0, head.number)
  }
  await using again = await openBare(dir.path, emit)
  expect(again.chain.head()).toEqual(head)
  expect(await everything(again.chain.read, 0, head.number)).toEqual(mined)
  expect(events.filter(({ type }) => /failed|unusable|refused|dropped/.test(type))).toEqual([])
})

test('the error for a dropped state names the first block whose state is available', async () => {
  await using dir = await temporaryDir()
  await buildFolder(dir.path)
  await using bare = await openBare(dir.path)
  await grow(bare, 3)
  await bare.produceBlock()
  const old = bare.chain.head()
  const balance = await bare.chain.read('eth_getBalance', [treasury.address, numberToHex(old.number)])
  await bare.chain.snapshot()
  await produceOn(bare, 3)
  expect(await bare.chain.read('eth_getBalance', [treasury.address, numberToHex(old.number)])).toBe(balance)
  const from = bare.chain.head().number
  await bare.chain.snapshot()
  await produceOn(bare, 2)
  await bare.engine().kill()
  const unavailable = { code: 4444, message: expect.stringContaining(`from block ${from} on`) }
  const block = numberToHex(old.number)
  for (const [method, params] of [
    ['eth_getBalance', [treasury.address, block]],
    ['eth_getBalance', [treasury.address, { blockHash: old.hash }]],
    ['eth_call', [{ to: treasury.address }, block]],
    ['eth_getProof', [treasury.address, [], block]],
    ['eth_getStorageAt', [treasury.address, '0x0', block]],
    ['eth_getTransactionCount', [treasury.address, block]],
    ['eth_getCode', [treasury.address, block]],
  ] as const)
    expect(await outcome(bare.chain.read, method, params), method).toEqual(unavailable)
  expect(await bare.chain.read('eth_getBalance', [treasury.address, numberToHex(from)])).toBe(balance)
  expect(await bare.chain.read('eth_getBalance', [treasury.address, 'latest'])).toBe(balance)
})

test('blocks that only a snapshot has are copied to the store', async () => {
  await using dir = await temporaryDir()
  const { number } = await buildFolder(dir.path)
  const before = await opened(dir.path, (bare) => everything(bare.chain.read, 0, number))
  for (const suffix of ['', '-wal', '-shm']) await rm(join(dir.path, `chain/blocks.sqlite${suffix}`), { force: true })
  expect(await opened(dir.path, (bare) => everything(bare.chain.read, 0, number))).toEqual(before)
})

test.runIf(isLong)('no block is late while engines are replaced, and each engine stays small', async () => {
  await using dir = await temporaryDir()
  await buildFolder(dir.path)
  const events: ChainEvent[] = []
  const emit = (event: ChainEvent) => events.push(event)
  await using bare = await openBare(dir.path, emit)
  const blockTimeSeconds = 2
  const mined: { number: number; timestamp: number }[] = []
  const upkeep = { ...defaultLimits, sinceSnapshot: 10, engineSteps: 20 }
  const sequencer = startSequencer({ chain: bare.chain, blockTimeSeconds, emit, upkeep })
  sequencer.onBlock(({ number, timestamp }) => mined.push({ number, timestamp }))
  const changes = () => events.filter(({ type }) => type === 'engine-replaced').length
  while (changes() < 3) {
    await bare.send(4)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  await sequencer.close()
  const [first] = mined
  expect(mined).toEqual(
    mined.map((_, index) => ({
      number: first!.number + index,
      timestamp: first!.timestamp + blockTimeSeconds * index,
    })),
  )
  expect(bare.chain.engineSteps()).toBeLessThan(200)
  expect(events.filter(({ type }) => /failed|unusable|dropped/.test(type))).toEqual([])
})

test.runIf(isLong)(
  'an engine whose memory grows with the accounts is replaced by one that retains fewer states',
  async () => {
    await using dir = await temporaryDir()
    await buildFolder(dir.path)
    const events: ChainEvent[] = []
    const emit = (event: ChainEvent) => events.push(event)
    await using bare = await openBare(dir.path, emit)
    const upkeep = createUpkeep(bare.chain, emit)
    const first = bare.engine()
    for (let block = 0; block < 8; block += 1) {
      await bare.populate(1_250)
      await bare.produceBlock()
    }
    for (let replacing: Promise<void> | undefined; replacing === undefined; ) {
      await bare.produceBlock()
      replacing = (await upkeep()).replacing
      await replacing
    }
    expect(first.alive()).toBe(false)
    expect(bare.engine().states).toBeLessThan(first.states / 2)
    await produceOn(bare, bare.engine().states)
    expect(await bare.chain.engineMemory()).toBeLessThan(defaultLimits.engineMemory)
    const { number } = bare.chain.head()
    const old = await bare.chain.read('eth_getBalance', [treasury.address, numberToHex(number - 35)])
    expect(old).toBe(await bare.chain.read('eth_getBalance', [treasury.address, 'latest']))
    expect(events.filter(({ type }) => /failed|unusable|dropped/.test(type))).toEqual([])
  },
)

test.runIf(isLong)('a kill during the replacement of an engine loses no transaction and no block', async () => {
  await using dir = await temporaryDir()
  await buildFolder(dir.path)
  const lines: string[] = []
  for (const milliseconds of [400, 700, 1_100, 900]) {
    const host = spawn(process.execPath, [join(import.meta.dirname, 'fixtures/replace-engine-host.ts'), dir.path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const before = lines.length
    collectLines(host, lines)
    await until(() => lines.indexOf('engine-replaced', before) >= 0, 'a new engine')
      .then(() => new Promise((resolve) => setTimeout(resolve, milliseconds)))
      .finally(() => host.kill('SIGKILL'))
    await once(host, 'close')
  }
  await using bare = await openBare(dir.path)
  await produceOn(bare, 1)
  for (const hash of lines.filter((line) => line.startsWith('0x')))
    expect(await bare.chain.read('eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' })
  let parent: Hex | undefined
  for (let number = 0; number <= bare.chain.head().number; number += 1) {
    const block = await bare.chain.read('eth_getBlockByNumber', [numberToHex(number), false])
    const { hash, parentHash } = block as { hash: Hex; parentHash: Hex }
    if (parent !== undefined) expect(parentHash).toBe(parent)
    parent = hash
  }
  expect(parent).toBe(bare.chain.head().hash)
})

async function opened<T>(dir: string, work: (bare: BareChain) => Promise<T>): Promise<T> {
  await using bare = await openBare(dir)
  return await work(bare)
}
