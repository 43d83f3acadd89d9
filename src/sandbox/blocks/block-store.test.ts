import fc from 'fast-check'
import { type Hex, numberToHex } from 'viem'
import { expect, test } from 'vitest'
import { type BlockStore, openBlockStore } from './block-store.ts'
import { storedReader } from './read-stored.ts'
import type { Log } from './whole-block.ts'

type Place = { address: Hex; topics: Hex[] }

const hashOf = (...numbers: number[]): Hex =>
  `0x${numbers
    .map((each) => each.toString(16).padStart(8, '0'))
    .join('')
    .padEnd(64, '0')}`
const address = fc.constantFrom<Hex>(`0x${'a1'.repeat(20)}`, `0x${'b2'.repeat(20)}`, `0x${'c3'.repeat(20)}`)
const topic = fc.constantFrom<Hex>(hashOf(1), hashOf(2), hashOf(3))
const place: fc.Arbitrary<Place> = fc.record({ address, topics: fc.array(topic, { maxLength: 4 }) })
const blocks = fc.array(fc.array(fc.array(place, { maxLength: 3 }), { maxLength: 3 }), { minLength: 1, maxLength: 6 })
const position = fc.oneof(fc.constant(null), topic, fc.array(topic, { maxLength: 3 }))
const filter = fc.record(
  {
    address: fc.oneof(address, fc.array(address, { maxLength: 2 })),
    topics: fc.array(position, { maxLength: 4 }),
  },
  { requiredKeys: [] },
)

/** Adds a block with such transactions to the store. `version` makes it differ from another one with the same number. */
function add(store: BlockStore, number: number, transactions: readonly Place[][], version = 0): Log[] {
  let logIndex = 0
  const receipts = transactions.map((places, index) => ({
    transactionHash: hashOf(number, index, version),
    logs: places.map((each) => ({
      ...each,
      blockNumber: numberToHex(number),
      transactionIndex: numberToHex(index),
      logIndex: numberToHex(logIndex++),
    })),
    gasUsed: '0x1',
  }))
  store.add({
    block: {
      number: numberToHex(number),
      hash: hashOf(number, version),
      transactions: receipts.map(({ transactionHash }) => ({ hash: transactionHash })),
      size: '0x1',
    },
    receipts,
  })
  return receipts.flatMap(({ logs }) => logs)
}

function isWanted(log: Log, { address, topics = [] }: { address?: Hex | Hex[]; topics?: (Hex | Hex[] | null)[] }) {
  const addresses = [address ?? []].flat()
  if (addresses.length > 0 && !addresses.includes(log.address)) return false
  if (topics.length > log.topics.length) return false
  return topics.every((wanted, at) => {
    const choices = [wanted ?? []].flat()
    return choices.length === 0 || choices.includes(log.topics[at] as Hex)
  })
}

const readerOf = (store: BlockStore) => storedReader(store, async () => '0x7')

test('logs are found by address, topics and range as a scan of all logs finds them', async () => {
  await fc.assert(
    fc.asyncProperty(blocks, filter, fc.nat(5), fc.nat(5), async (chain, wanted, one, other) => {
      const store = openBlockStore(':memory:')
      const all = chain.flatMap((transactions, number) => add(store, number, transactions))
      const last = chain.length - 1
      const [from, to] = [Math.min(one, other, last), Math.min(Math.max(one, other), last)]
      const range = { fromBlock: numberToHex(from), toBlock: numberToHex(to) }
      const found = await readerOf(store)('eth_getLogs', [{ ...range, ...wanted }])
      expect(found).toEqual(
        all.filter((log) => {
          const number = Number(log.blockNumber)
          return number >= from && number <= to && isWanted(log, wanted)
        }),
      )
      store.close()
    }),
    { numRuns: 200 },
  )
})

test('a block replaces the one with the same number, with all its transactions and logs', async () => {
  const store = openBlockStore(':memory:')
  const read = readerOf(store)
  add(store, 0, [])
  add(store, 1, [[{ address: `0x${'a1'.repeat(20)}`, topics: [] }], []])
  expect(await read('eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x1' }])).toHaveLength(1)
  expect(await read('eth_getLogs', [{ fromBlock: '0x0', toBlock: '0x5' }])).toHaveLength(1)
  add(store, 1, [[]], 1)
  expect(await read('eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x1' }])).toEqual([])
  expect(await read('eth_getBlockByHash', [hashOf(1, 0), false])).toBeUndefined()
  expect(await read('eth_getTransactionByHash', [hashOf(1, 0, 0)])).toBeUndefined()
  expect(await read('eth_getBlockByNumber', ['latest', false])).toMatchObject({
    hash: hashOf(1, 1),
    transactions: [hashOf(1, 0, 1)],
  })
  store.close()
})

test('reads of missing blocks or with unknown parameters return undefined', async () => {
  const store = openBlockStore(':memory:')
  const read = readerOf(store)
  add(store, 0, [[]])
  for (const [method, params] of [
    ['eth_getBalance', [`0x${'a1'.repeat(20)}`, 'latest']],
    ['eth_getBlockByNumber', ['0x1', false]],
    ['eth_getBlockByNumber', ['pending', false]],
    ['eth_getBlockByNumber', [0, false]],
    ['eth_getBlockByHash', ['0x12', false]],
    ['eth_getTransactionByHash', [hashOf(9)]],
    ['eth_getTransactionReceipt', []],
    ['eth_getTransactionByBlockNumberAndIndex', ['0x0', 'first']],
    ['eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x5' }]],
    ['eth_getLogs', [{ blockHash: hashOf(7) }]],
    ['eth_getLogs', [{ fromBlock: '0x0', address: 5 }]],
    ['eth_getLogs', [{ fromBlock: '0x0', topics: [null, null, null, null, null] }]],
    ['eth_feeHistory', ['0x1', '0x5', []]],
  ] as const)
    expect(await read(method, params), `${method} ${JSON.stringify(params)}`).toBeUndefined()
  store.close()
})
