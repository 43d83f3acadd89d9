import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterAll, expect, test, vi } from 'vitest'
import { nodePool } from './node-pool.ts'

const never = new AbortController().signal
const servers = new DisposableStack()
afterAll(() => servers.dispose())

type Answer = (method: string, response: ServerResponse) => unknown

/** A node at height 100 that answers every method alike, unless `answer` says something else. */
async function nodeOf(result: string) {
  const node = { url: '', calls: [] as string[], answer: null as Answer | null }
  const server = createServer(async (request, response) => {
    const { method } = JSON.parse(await text(request)) as { method: string }
    node.calls.push(method)
    const usual = { eth_chainId: '0x1', eth_blockNumber: '0x64' }[method] ?? result
    const given = node.answer === null ? undefined : node.answer(method, response)
    if (given === null) return // it answers by itself, or hangs
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...((given as object) ?? { result: usual }) }))
  }).listen(0, '127.0.0.1')
  servers.defer(() => {
    server.close()
    server.closeAllConnections()
  })
  await once(server, 'listening')
  node.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return node
}

async function pair() {
  const [first, second] = [await nodeOf('0xf1'), await nodeOf('0x52')]
  const pool = nodePool([first.url, second.url], { oneChain: 'CHAIN_RPC_URL' })
  const read = async (method: string, params: unknown[] = []) => await pool.request(method, params, never)
  return { first, second, pool, read }
}

/** The answer has been given. */
const itself = (_: unknown) => null
const hangs: Answer = () => null
const hangsAt =
  (hanging: string): Answer =>
  (method) =>
    method === hanging ? null : undefined

test('a node that hangs costs one caller a moment, and the next ones nothing', async () => {
  const { first, pool, read } = await pair()
  expect(await read('eth_gasPrice')).toBe('0xf1')
  first.answer = hangs
  expect(await read('eth_gasPrice')).toBe('0x52')
  const before = first.calls.length
  for (const method of ['eth_gasPrice', 'eth_call', 'eth_getLogs']) expect(await read(method)).toBe('0x52')
  expect(first.calls.slice(before)).toEqual([])
  expect(pool.states()).toMatchObject([{ healthy: false }, { healthy: true }])
})

test('one that hangs at one method is used for the others, whatever its health check says', async () => {
  const { first, pool, read } = await pair()
  await read('eth_gasPrice')
  first.answer = hangsAt('eth_getLogs')
  const reads = [read('eth_getLogs', [{}]), read('eth_gasPrice')]
  expect(await Promise.all(reads)).toEqual(['0x52', '0xf1'])
  await pool.check()
  const before = first.calls.filter((method) => method === 'eth_getLogs').length
  expect(await read('eth_getLogs', [{}])).toBe('0x52')
  expect(await read('eth_gasPrice')).toBe('0xf1')
  expect(first.calls.filter((method) => method === 'eth_getLogs')).toHaveLength(before)
})

test('a method that failed is tried again beside a node that serves it, and used once it answers', async () => {
  const { first, read } = await pair()
  await read('eth_gasPrice')
  first.answer = (method, response) => (method === 'eth_call' ? itself(response.destroy()) : undefined)
  await Promise.all([read('eth_call'), read('eth_gasPrice')])
  first.answer = null
  expect(await read('eth_call')).toBe('0x52')
  vi.spyOn(performance, 'now').mockImplementation(() => Date.now() - performance.timeOrigin + 6_000)
  expect(await read('eth_call')).toBe('0x52') // the trial is beside it
  await vi.waitFor(async () => expect(await read('eth_call')).toBe('0xf1'))
  vi.restoreAllMocks()
})

test('a node that lags is called after the others, and first again once it has caught up', async () => {
  const { first, pool, read } = await pair()
  first.answer = (method) => (method === 'eth_blockNumber' ? { result: '0x62' } : undefined)
  await pool.check()
  expect(await read('eth_gasPrice')).toBe('0x52')
  expect(pool.states()).toMatchObject([
    { name: '1/127.0.0.1/1', healthy: false, blocksBehind: 2 },
    { name: '1/127.0.0.1/2', healthy: true, blocksBehind: 0 },
  ])
  first.answer = null
  await pool.check()
  expect(await read('eth_gasPrice')).toBe('0xf1')
})

test('logs and receipts come from a node that has the newest block that was shown', async () => {
  const { first, second, pool, read } = await pair()
  second.answer = (method) => (method === 'eth_blockNumber' ? { result: '0x65' } : undefined)
  await pool.check()
  expect(await read('eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x64' }])).toBe('0xf1')
  expect(await read('eth_getLogs', [{ fromBlock: '0x1', toBlock: 'latest' }])).toBe('0x52')
  first.answer = (method) => (method === 'eth_blockNumber' ? { result: '0x65' } : undefined)
  await pool.check()
  expect(await read('eth_getTransactionReceipt', ['0x1'])).toBe('0xf1')
})

test('what a node that lags has counts for less than that another one has nothing', async () => {
  const { first, second, pool } = await pair()
  second.answer = (method) =>
    method === 'eth_chainId' ? undefined : { result: method === 'eth_blockNumber' ? '0x65' : null }
  await pool.check()
  const suits = (receipt: unknown) => receipt !== null
  const read = async () => await pool.request('eth_getTransactionReceipt', ['0x1'], never, { suits })
  expect(await read()).toBeNull()
  second.answer = (_, response) => itself(response.destroy())
  expect(await read()).toBe('0xf1')
  expect(first.calls.filter((method) => method === 'eth_getTransactionReceipt')).toHaveLength(2)
})

test('a newest block that is older than what was shown is asked of the next node, also where only that method lags', async () => {
  const { first, second, read } = await pair()
  const block = (number: string) => (method: string) =>
    method === 'eth_getBlockByNumber' ? { result: { number } } : undefined
  first.answer = block('0x5f')
  second.answer = block('0x64')
  expect(await read('eth_blockNumber')).toBe('0x64')
  expect(await read('eth_getBlockByNumber', ['latest', false])).toEqual({ number: '0x64' })
  second.answer = block('0x5f')
  expect(await read('eth_getBlockByNumber', ['latest', false])).toEqual({ number: '0x5f' })
})

test('a block that exists is asked for again where the only node lacks it for a moment', async () => {
  const node = await nodeOf('0xf1')
  const pool = nodePool([node.url])
  let refusals = 2
  node.answer = () => {
    refusals -= 1
    return refusals < 0 ? undefined : { error: { code: -32000, message: 'header not found' } }
  }
  const block = { blockHash: `0x${'ab'.repeat(32)}` }
  expect(await pool.request('eth_call', [{}, block], never, { exists: true })).toBe('0xf1')
  refusals = 1
  await expect(pool.request('eth_call', [{}, block], never)).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test.each([
  ['HTTP 429', (_: string, response: ServerResponse) => itself(response.writeHead(429).end())],
  ['a code of a provider', () => ({ error: { code: -32016, message: 'over rate limit' } })],
  ['words', () => ({ error: { code: -32000, message: 'daily request count exceeded, request rate limited' } })],
])('a node that limits its rate by %s is called less, and another one meanwhile', async (_, limits) => {
  const { first, read } = await pair()
  await read('eth_gasPrice')
  first.answer = limits
  for (let count = 0; count < 6; count += 1) expect(await read('eth_gasPrice')).toBe('0x52')
  expect(first.calls.filter((method) => method === 'eth_gasPrice').length).toBeLessThan(7)
  const alone = nodePool([first.url])
  await expect(alone.request('eth_gasPrice', [], never)).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: expect.stringContaining('limits its rate'),
  })
})

test('a caller that leaves while it waits for its turn says nothing about the node', async () => {
  const { first, second, pool, read } = await pair()
  await read('eth_gasPrice')
  first.answer = () => ({ error: { code: -32005, message: 'too many requests' } })
  expect(await read('eth_gasPrice')).toBe('0x52')
  first.answer = null
  second.answer = hangs
  await sleep(30) // no call waits for long
  const leaving = new AbortController()
  const reads = Array.from({ length: 8 }, () => pool.request('eth_gasPrice', [], leaving.signal))
  leaving.abort()
  await Promise.allSettled(reads)
  expect(pool.states()[0]).toMatchObject({ failingMethods: [] })
})

test('calls that are on their way together and fail together count as one failure', async () => {
  const { first, pool, read } = await pair()
  await read('eth_gasPrice')
  const twenty = async () => await Promise.all(Array.from({ length: 20 }, () => read('eth_gasPrice')))
  first.answer = (_, response) => itself(response.destroy())
  expect(new Set(await twenty())).toEqual(new Set(['0x52']))
  first.answer = null
  vi.spyOn(performance, 'now').mockImplementation(() => Date.now() - performance.timeOrigin + 6_000)
  await vi.waitFor(async () => expect(await read('eth_gasPrice')).toBe('0xf1'), { timeout: 20_000 })
  vi.restoreAllMocks()
  const limiting = await nodeOf('0xf1')
  limiting.answer = () => ({ error: { code: -32005, message: 'too many requests' } })
  const limited = nodePool([limiting.url, first.url])
  await Promise.all(Array.from({ length: 20 }, () => limited.request('eth_gasPrice', [], never)))
  expect(limited.states()[0]?.slowedByMs).toBeLessThan(100)
  expect(pool.states()[0]).toMatchObject({ healthy: true, failingMethods: [] })
})

test('an answer to another call is none', async () => {
  const { first, read } = await pair()
  first.answer = (_, response) => itself(response.end('{"jsonrpc":"2.0","id":2,"result":"0xbad"}'))
  expect(await read('eth_gasPrice')).toBe('0x52')
})

test('a compressed response is read, and asked for', async () => {
  const server = createServer((request, response) => {
    const isAccepted = String(request.headers['accept-encoding']).includes('gzip')
    response.writeHead(200, isAccepted ? { 'content-encoding': 'gzip' } : {})
    response.end(isAccepted ? gzipSync('{"jsonrpc":"2.0","id":1,"result":"0x21"}') : '')
  }).listen(0, '127.0.0.1')
  servers.defer(() => server.close())
  await once(server, 'listening')
  const pool = nodePool([`http://127.0.0.1:${(server.address() as AddressInfo).port}`])
  expect(await pool.request('eth_gasPrice', [], never)).toBe('0x21')
})

test('of several nodes one of another chain than the configured one is never used', async () => {
  const [other, right] = [await nodeOf('0xf1'), await nodeOf('0x52')]
  other.answer = (method) => (method === 'eth_chainId' ? { result: '0x539' } : undefined)
  const pool = nodePool([other.url, right.url], { oneChain: 'CHAIN_RPC_URL', chainId: 1 })
  expect(await pool.request('eth_gasPrice', [], never)).toBe('0x52')
  expect(pool.states()).toMatchObject([
    { name: '1/127.0.0.1/1', healthy: false },
    { name: '1/127.0.0.1/2', healthy: true },
  ])
})
