import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { grpcMethods } from '../../generated/grpc/services.ts'
import { openDatabase } from '../../src/adapters/storage/connection/database.ts'
import { openNodeFilters } from '../../src/adapters/storage/node/node-filters.ts'
import { randomIds, systemClock } from '../../src/adapters/system/system.ts'
import { contract } from '../../src/contract/index.ts'
import type { ErrorCode } from '../../src/contract/shared/errors.ts'
import { DomainError, type Fail } from '../../src/domain/core/errors.ts'
import { filterReadBytes } from '../../src/domain/node/log-range.ts'
import { getFilterChanges, newBlockFilter, newFilter } from '../../src/domain/node/node-filters.ts'
import type { ChainNode, NodeFilters } from '../../src/domain/ports/node.ts'
import { type Anvil, type Door, startAnvil } from './anvil.ts'
import { openWorld, type World } from './public-world.ts'

const opened = new AsyncDisposableStack()
let anvil: Anvil
let world: World
let nodeFilters: NodeFilters

beforeAll(async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'trident-filters-'))
  opened.defer(() => rmSync(dataDir, { recursive: true, force: true }))
  nodeFilters = openNodeFilters(opened.use(await openDatabase({ url: null, dataDir })), 31_337)
  anvil = opened.use(await startAnvil())
  await anvil.mine(3)
  world = opened.use(await openWorld(anvil))
})
afterAll(() => opened.disposeAsync())

const fail: Fail<ErrorCode> = (...parts) => new DomainError(...parts)
const call = { keyOrAddress: 'address:127.0.0.1', signal: new AbortController().signal, fail } as never
const portsOver = (node: ChainNode = world.node) => ({ node, nodeFilters, clock: systemClock, ids: randomIds }) as never
const changes = async (filterId: string, node?: ChainNode) =>
  (await getFilterChanges(portsOver(node), { filterId }, call)) as { blockNumber: string }[]
const hex = (number: number) => `0x${number.toString(16)}`
const hashAt = async (number: number) => (await anvil.call('eth_getBlockByNumber', hex(number), false)).hash
const height = async () => Number(await anvil.call('eth_blockNumber'))
const reorganise = (depth: number) => anvil.call('anvil_reorg', depth, [])

/** A contract that writes one log at every call, or runs `code`, and a function that calls it in a separate block. */
async function logging(code = '60006000a000') {
  const [from] = await anvil.call('eth_accounts')
  const length = hex(code.length / 2)
    .slice(2)
    .padStart(2, '0')
  const sent = await anvil.call('eth_sendTransaction', {
    from,
    data: `0x60${length}600c60003960${length}6000f3${code}`,
  })
  await anvil.mine()
  const { contractAddress: to } = await anvil.call('eth_getTransactionReceipt', sent)
  return {
    address: to,
    log: async (data = '0x', gas = '0x186a0') => {
      await anvil.call('eth_sendTransaction', { from, to, data, gas })
      await anvil.mine()
    },
  }
}

test('a reorganisation in the middle of a reading hides no block', async () => {
  const filterId = await newBlockFilter(portsOver(), {}, call)
  const start = await height()
  await anvil.mine(3)
  const reorganised = Promise.withResolvers<void>()
  const node: ChainNode = {
    ...world.node,
    async request(method, params, signal) {
      if (method !== 'eth_getBlockByNumber' || Number(params[0]) <= start)
        return await world.node.request(method, params, signal)
      if (Number(params[0]) > start + 1) await reorganised.promise
      const answer = await world.node.request(method, params, signal)
      if (Number(params[0]) === start + 1) await reorganise(3).then(() => reorganised.resolve())
      return answer
    },
  }
  const reported: unknown[] = await changes(filterId, node)
  await anvil.mine()
  reported.push(...(await changes(filterId)))
  const present = await Promise.all([1, 2, 3, 4].map((step) => hashAt(start + step)))
  expect(reported).toEqual(expect.arrayContaining(present))
  expect(new Set(reported).size).toBe(reported.length)
})

test('a filter whose removed logs are no longer stored must be created again', async () => {
  const { address, log } = await logging()
  const filterId = await newFilter(portsOver(), { filter: { address } }, call)
  await log()
  expect(await changes(filterId)).toHaveLength(1)
  await reorganise(1)
  await anvil.mine()
  await expect(changes(filterId)).rejects.toMatchObject({
    code: 'FAILED_PRECONDITION',
    message: expect.stringContaining('filter not found'),
  })
})

test('a node that has yet to learn of a block keeps none of its logs from a filter', async () => {
  const { address, log } = await logging()
  await using two = await openWorld(anvil, 2)
  const filterId = await newFilter(portsOver(two.node), { filter: { address } }, call)
  const start = await height()
  const behind =
    (door: Door): Door['instead'] =>
    (method, response) => {
      if (method !== 'eth_getLogs') return false
      const unknown = { error: { code: -32000, message: 'unknown block' } }
      const isByHash = JSON.stringify(door.params.at(-1)).includes('blockHash')
      response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...(isByHash ? unknown : { result: [] }) }))
    }
  const [first, second] = two.doors as [Door, Door]
  first.instead = behind(first)
  for (const count of [1, 2]) {
    for (let made = 0; made < count; made += 1) await log()
    expect(await changes(filterId, two.node)).toHaveLength(count)
  }
  // A block that no node knows is reported once one does.
  second.instead = behind(second)
  await log()
  expect(await changes(filterId, two.node)).toEqual([])
  second.instead = null
  expect(await changes(filterId, two.node)).toMatchObject([{ blockNumber: hex(start + 4) }])
  expect(await changes(filterId, two.node)).toEqual([])
})

test('a filter with a last block reports nothing after it', async () => {
  const { address, log } = await logging()
  const last = hex((await height()) + 1)
  const bounded = await newFilter(portsOver(), { filter: { address, toBlock: last } }, call)
  const past = await newFilter(portsOver(), { filter: { address, blockHash: await hashAt(1) } }, call)
  await log()
  await log()
  expect((await changes(bounded)).map(({ blockNumber }) => blockNumber)).toEqual([last])
  expect(await changes(past)).toEqual([])
})

test('too many logs for one response are split into parts, and refused where one block has too many', async () => {
  // Writes as many logs as the call data says.
  const { address, log } = await logging('5f355b8015601257600190035f5fa06002565b00')
  const write = async (count: number) => await log(`0x${count.toString(16).padStart(64, '0')}`, '0x1c9c380')
  const filterId = await newFilter(portsOver(), { filter: { address } }, call)
  const first = (await height()) + 1
  for (const count of [4_000, 5_000, 6_000, 1]) await write(count)
  const counts = async () => {
    const counts = Map.groupBy(await changes(filterId), ({ blockNumber }) => Number(blockNumber) - first)
    return [...counts].map(([block, logs]) => [block, logs.length])
  }
  const parts: number[][] = []
  while (parts.at(-1)?.[0] !== 3) parts.push(...(await counts()))
  expect(parts).toEqual([
    [0, 4_000],
    [1, 5_000],
    [2, 6_000],
    [3, 1],
  ])
  expect(await changes(filterId)).toEqual([])
  await write(10_001)
  await expect(changes(filterId)).rejects.toMatchObject({
    code: 'LIMIT_EXCEEDED',
    message: expect.stringContaining('10000 new logs'),
    details: { metadata: { limit: '10000' } },
  })
})

test('more bytes than a client takes at once are split by blocks too, and one block has what it has', async () => {
  const { address, log } = await logging()
  const filterId = await newFilter(portsOver(), { filter: { address } }, call)
  const first = (await height()) + 1
  const megabytes = [1, 1, 1, 1, 6, 1]
  for (const _ of megabytes) await log()
  const padded = (each: { blockNumber: string }) => ({
    ...each,
    data: `0x${'00'.repeat(500_000 * (megabytes[Number(each.blockNumber) - first] ?? 0))}`,
  })
  const node: ChainNode = {
    ...world.node,
    async request(method, params, signal) {
      const answer = await world.node.request(method, params, signal)
      return method === 'eth_getLogs' ? (answer as { blockNumber: string }[]).map(padded) : answer
    },
  }
  const reads: number[][] = []
  while (reads.flat().length < megabytes.length) {
    const found = await changes(filterId, node)
    reads.push(found.map(({ blockNumber }) => Number(blockNumber) - first))
    const { length } = grpcMethods['chain.getFilterChanges'].encodeResponse(found)
    if (found.length > 1) expect(length).toBeLessThan(4_194_304)
  }
  expect(reads.flat()).toEqual([0, 1, 2, 3, 4, 5])
  expect(reads).toContainEqual([4])
})

test('logs with the least data have room in what a client takes', () => {
  const [log] = contract.chain.getLogs.example.output
  const least = { ...log!, topics: [], data: '0x' }
  const found = Array.from({ length: Math.floor(filterReadBytes / JSON.stringify(least).length) }, () => least)
  expect(grpcMethods['chain.getFilterChanges'].encodeResponse(found).length).toBeLessThan(4_194_304)
})
