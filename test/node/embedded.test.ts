import { afterAll, beforeAll, expect, test } from 'vitest'
import { chain } from '../../src/contract/chain/chain.ts'
import { chainId, parentAccount, send, sendAndMine, treasury, until, user } from '../../src/sandbox/fixtures/testing.ts'
import { type EmbeddedNode, openEmbeddedNode } from './embedded-node.ts'

let embedded: EmbeddedNode
let world: EmbeddedNode['world']
let node: EmbeddedNode['node']
/** The calls that reached the engine. */
const asked: string[] = []

beforeAll(async () => {
  embedded = await openEmbeddedNode({}, (method) => asked.push(method))
  ;({ world, node } = embedded)
})
afterAll(() => embedded[Symbol.asyncDispose]())

const ask: EmbeddedNode['ask'] = (method, ...params) => embedded.ask(method, ...params)
const failure: EmbeddedNode['failure'] = (method, ...params) => embedded.failure(method, ...params)

test('every answer about blocks, transactions and receipts satisfies the contract and lacks nothing', async () => {
  const { transactionHash, blockHash, blockNumber } = await sendAndMine(world, treasury, {
    to: user.address,
    value: 5n,
  })
  const number = `0x${blockNumber.toString(16)}`
  const block = (await ask('eth_getBlockByNumber', number, true)) as { transactions: unknown[] }
  expect(chain.getBlockByNumber.output.parse(block)).toMatchObject({ hash: blockHash, number })
  for (const field of Object.keys(chain.getBlockByNumber.example.output as object)) expect(block).toHaveProperty(field)
  const receipt = await ask('eth_getTransactionReceipt', transactionHash)
  expect(chain.getTransactionReceipt.output.parse(receipt)).toMatchObject({
    blockTimestamp: expect.stringMatching(/^0x/),
    l1Fee: '0x0',
  })
  expect(receipt).not.toHaveProperty('blobGasPrice')
  expect(chain.getBlockReceipts.output.parse(await ask('eth_getBlockReceipts', { blockHash }))).toContainEqual(
    chain.getTransactionReceipt.output.parse(receipt),
  )
  const transaction = await ask('eth_getTransactionByHash', transactionHash)
  expect(chain.getTransactionByHash.output.parse(transaction)).toMatchObject({ gas: '0xf4240' })
  expect(await ask('eth_getUncleCountByBlockHash', blockHash)).toBe('0x0')
  expect(await ask('eth_getUncleCountByBlockNumber', '0xfffff')).toBeNull()
  expect(await ask('eth_getBlockTransactionCountByNumber', '0xfffff')).toBeNull()
})

test('every method reports the same pending block', async () => {
  world.sequencer.stop()
  try {
    const hash = await send(world, treasury, { to: user.address, value: 1n })
    const open = { hash: null, nonce: null, miner: null }
    const [listed, full] = await Promise.all([false, true].map((all) => ask('eth_getBlockByNumber', 'pending', all)))
    // The L1-attributes deposit is pending too.
    const { transactions } = listed as { transactions: string[] }
    expect(chain.getBlockByNumber.output.parse(listed)).toMatchObject({
      ...open,
      transactions: [expect.any(String), hash],
    })
    const waiting = await Promise.all(transactions.map((each) => ask('eth_getTransactionByHash', each)))
    expect(waiting[1]).toMatchObject({ hash, blockHash: null, blockNumber: null, transactionIndex: null })
    expect(chain.getBlockByNumber.output.parse(full)).toMatchObject({ ...open, transactions: waiting })
    const at = (index: number) => ask('eth_getTransactionByBlockNumberAndIndex', 'pending', `0x${index}`)
    expect(await Promise.all([0, 1].map(at))).toEqual(waiting)
    expect(await at(2)).toBeNull()
    expect(await ask('eth_getBlockTransactionCountByNumber', 'pending')).toBe('0x2')
    expect(await ask('eth_getUncleCountByBlockNumber', 'pending')).toBe('0x0')
    for (const method of ['eth_getBlockReceipts', 'debug_traceBlockByNumber'])
      expect(await failure(method, 'pending')).toMatchObject({ code: 'UNIMPLEMENTED' })
  } finally {
    world.sequencer.start()
  }
})

test('safe and finalized lag behind latest as the rollup says, in filters too', async () => {
  await until(() => world.heads().finalized.number < world.heads().safe.number, 'heads apart')
  await until(async () => {
    const heads = world.heads()
    const answered = async (tag: string) =>
      BigInt(((await ask('eth_getBlockByNumber', tag, false)) as { number: string }).number)
    const tags = { safe: await answered('safe'), finalized: await answered('finalized') }
    const still = world.heads()
    if (still.safe.number !== heads.safe.number || still.finalized.number !== heads.finalized.number) return false
    expect(tags).toEqual({ safe: heads.safe.number, finalized: heads.finalized.number })
    return true
  }, 'heads that stand still')
  const logs = (await ask('eth_getLogs', { fromBlock: 'earliest', toBlock: 'finalized' })) as { blockNumber: string }[]
  expect(logs.length).toBeGreaterThan(0)
  expect(logs.every(({ blockNumber }) => BigInt(blockNumber) <= world.heads().finalized.number)).toBe(true)
})

test('the head needs no call, and is never behind what a result has shown', async () => {
  const before = asked.length
  const [number, id, version, latest] = await Promise.all([
    ask('eth_blockNumber'),
    ask('eth_chainId'),
    ask('net_version'),
    ask('eth_getBlockByNumber', 'latest', false),
  ])
  expect([id, version]).toEqual(['0x14a34', '84532'])
  expect(chain.getBlockByNumber.output.parse(latest)).toMatchObject({ number })
  expect(asked.slice(before)).not.toContain('eth_blockNumber')
  for (let round = 0; round < 2; round += 1) {
    const hash = await send(world, treasury, { to: user.address, value: 1n })
    let receipt: { blockNumber: string } | null = null
    await until(async () => {
      receipt = (await ask('eth_getTransactionReceipt', hash)) as typeof receipt
      return receipt !== null
    }, 'the receipt')
    expect(BigInt(String(await ask('eth_blockNumber')))).toBeGreaterThanOrEqual(BigInt(receipt!.blockNumber))
  }
})

test('final results are read once, others are read again', async () => {
  // The head watcher reads each new block too.
  world.sequencer.stop()
  try {
    await until(async () => (await node.head()).number === world.heads().latest.number, 'the newest block')
    const final = `0x${world.heads().finalized.number.toString(16)}`
    const counted = async (method: string, ...params: unknown[]) => {
      const before = asked.length
      const first = await ask(method, ...params)
      expect(await ask(method, ...params)).toEqual(first)
      return asked.slice(before).filter((each) => each === method).length
    }
    expect(await counted('eth_getBlockByNumber', final, true)).toBe(1)
    expect(await counted('eth_getBalance', treasury.address, final)).toBe(1)
    expect(await counted('eth_getBlockByNumber', 'finalized', true)).toBe(2)
    expect(await counted('eth_getBalance', treasury.address, 'latest')).toBe(2)
    expect(await counted('eth_getBlockByNumber', '0xfffff', true)).toBe(2)
    const ranges = asked.length
    for (let round = 0; round < 3; round += 1) await ask('eth_getLogs', { fromBlock: '0x1', toBlock: `0x${round + 2}` })
    expect(asked.slice(ranges).filter((method) => method === 'eth_blockNumber').length).toBeLessThan(2)
    const together = asked.length
    const same = await Promise.all(Array.from({ length: 20 }, () => ask('eth_getBalance', treasury.address, 'latest')))
    expect(new Set(same).size).toBe(1)
    expect(asked.slice(together).filter((method) => method === 'eth_getBalance').length).toBeLessThan(3)
  } finally {
    world.sequencer.start()
  }
})

test('pending transactions are reported as they are accepted, each once', async () => {
  const leaving = new AbortController()
  const received: string[] = []
  const raw = await parentAccountTransaction()
  const since = new Date(Date.now() - 1)
  const reading = (async () => {
    for await (const hash of node.pending(leaving.signal)) received.push(hash)
  })()
  const hash = await ask('eth_sendRawTransaction', raw)
  await until(() => received.length > 0, 'a hash')
  expect(received).toEqual([hash])
  const later = new Date(Date.now() + 1)
  expect(node.pendingBetween(since, later)).toContain(hash)
  expect([...node.pendingBetween(later, new Date(Date.now() + 60_000)), ...node.pendingBetween(since, since)]).toEqual(
    [],
  )
  leaving.abort()
  await reading
})

async function parentAccountTransaction() {
  await sendAndMine(world, treasury, { to: parentAccount.address, value: 10n ** 18n })
  return await parentAccount.signTransaction({
    type: 'eip1559',
    chainId,
    gas: 21_000n,
    maxFeePerGas: 10n ** 9n,
    maxPriorityFeePerGas: 1n,
    to: user.address,
    nonce: 0,
  })
}
