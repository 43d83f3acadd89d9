import { setImmediate } from 'node:timers/promises'
import { createPublicClient, webSocket } from 'viem'
import { expect, test } from 'vitest'
import { openRpcSocket } from '../../../test/clients/rpc-socket.ts'
import { broadcast, rpcWorlds } from '../../../test/protocols/rpc-world.ts'
import { operationOf } from '../../contract/index.ts'
import { DomainError } from '../../domain/core/errors.ts'

const serve = rpcWorlds()
const request = (method: string, params: unknown = [], id: unknown = 1) => ({ jsonrpc: '2.0', method, params, id })
const head = operationOf('chain.subscribe').example.output.head

test('a subscription sends its events after its id, until it is ended', async () => {
  const { handlers, streams, send } = broadcast()
  const { url } = await serve(handlers)
  const rpc = await openRpcSocket(url)
  const { result: heads } = await rpc.ask('eth_subscribe', ['newHeads'])
  const { result: hashes } = await rpc.ask('eth_subscribe', ['newPendingTransactions', false])
  expect(heads).toMatch(/^0x[0-9a-f]{32}$/)
  expect(hashes).not.toBe(heads)
  send({ type: 'newHeads', head })
  const note = (subscription: string, result: unknown) => ({
    jsonrpc: '2.0',
    method: 'eth_subscription',
    params: { subscription, result },
  })
  expect(await rpc.next()).toEqual(note(heads, head))
  expect(await rpc.next()).toEqual(note(hashes, head))
  expect(await rpc.ask('eth_unsubscribe', [heads])).toMatchObject({ result: true })
  expect(await rpc.ask('eth_unsubscribe', [heads])).toMatchObject({ result: false })
  await expect.poll(() => streams.size).toBe(1)
  send({ type: 'newPendingTransactions', transactionHash: '0x12' })
  send({ type: 'syncing', syncing: false })
  expect([await rpc.next(), await rpc.next()]).toEqual([note(hashes, '0x12'), note(hashes, false)])
  rpc.socket.close()
})

test('an id is sent before the first event, also for immediate events and in a batch', async () => {
  const { url } = await serve()
  const rpc = await openRpcSocket(url)
  rpc.send([request('eth_subscribe', ['newHeads'], 1), request('eth_chainId', [], 2)])
  const [{ result }] = await rpc.next()
  expect(await rpc.next()).toMatchObject({ params: { subscription: result, result: head } })
  rpc.socket.close()
})

test('the filter of logs is passed on; a filter for another type is refused', async () => {
  const { handlers, streams } = broadcast()
  const { url } = await serve(handlers)
  const rpc = await openRpcSocket(url)
  const filter = { address: `0x${'1'.repeat(40)}`, topics: [null] }
  expect(await rpc.ask('eth_subscribe', ['logs', filter])).toHaveProperty('result')
  expect(await rpc.ask('eth_subscribe', { type: 'logs' })).toHaveProperty('result')
  await expect.poll(() => [...streams].map(({ input }) => input)).toMatchObject([{ type: 'logs', filter }, {}])
  for (const params of [[], ['blocks'], ['logs', true], ['newPendingTransactions', true], ['newHeads', null, 1]])
    expect(await rpc.ask('eth_subscribe', params)).toMatchObject({ error: { code: -32602 } })
  for (const params of [[], [1], ['0x1', '0x2'], {}])
    expect(await rpc.ask('eth_unsubscribe', params)).toMatchObject({ error: { code: -32602 } })
  rpc.send({ jsonrpc: '2.0', method: 'eth_subscribe', params: ['newHeads'] })
  expect(await rpc.ask('eth_chainId')).toHaveProperty('result')
  expect(streams.size).toBe(2)
  rpc.socket.close()
})

test('a common client library subscribes', async () => {
  const { handlers, streams, send } = broadcast()
  const { url } = await serve(handlers)
  const client = createPublicClient({ transport: webSocket(url.replace('http', 'ws'), { reconnect: false }) })
  const seen = Promise.withResolvers<bigint>()
  const unwatch = client.watchBlockNumber({ onBlockNumber: seen.resolve, onError: seen.reject })
  await expect.poll(() => streams.size).toBe(1)
  send({ type: 'newHeads', head })
  expect(await seen.promise).toBe(BigInt(head?.number ?? 0))
  unwatch()
  await expect.poll(() => streams.size).toBe(0)
  ;(await client.transport.getRpcClient()).close()
})

test('a subscription belongs to its connection and ends with it', async () => {
  const { handlers, streams } = broadcast()
  const { url } = await serve(handlers)
  const [one, other] = await Promise.all([openRpcSocket(url), openRpcSocket(url)])
  const { result } = await one.ask('eth_subscribe', ['newHeads'])
  expect(await other.ask('eth_unsubscribe', [result])).toMatchObject({ result: false })
  await expect.poll(() => streams.size).toBe(1)
  one.socket.close()
  await expect.poll(() => streams.size).toBe(0)
  other.socket.close()
})

test('a connection has at most 100 subscriptions', async () => {
  const { handlers } = broadcast()
  const { url } = await serve(handlers)
  const rpc = await openRpcSocket(url)
  const made = await Promise.all(Array.from({ length: 101 }, () => rpc.ask('eth_subscribe', ['newHeads'])))
  const refused = made.filter(({ error }) => error !== undefined)
  expect(refused).toMatchObject([
    {
      error: { code: -32005, data: { limit: 100, reset: null, code: 'RATE_LIMITED', request_id: expect.any(String) } },
    },
  ])
  expect(await rpc.ask('eth_unsubscribe', [made[0].result])).toMatchObject({ result: true })
  expect(await rpc.ask('eth_subscribe', ['newHeads'])).toHaveProperty('result')
  rpc.socket.close()
})

test.each([
  [new DomainError('UNAVAILABLE', 'Fell behind.'), 1013, 'Fell behind.'],
  [new Error('a secret'), 1011, expect.stringContaining('failed unexpectedly')],
])('a subscription that breaks (%s) closes its connection with the reason', async (failure, code, reason) => {
  const { handlers, send, streams } = broadcast()
  const { url } = await serve(handlers)
  const rpc = await openRpcSocket(url)
  await rpc.ask('eth_subscribe', ['newHeads'])
  await expect.poll(() => streams.size).toBe(1)
  send(failure)
  expect(await rpc.closed).toEqual({ code, reason })
})

test('a reader with a backlog of more than 8 MiB of events is closed with a reason', async () => {
  let sent = 0
  const { url } = await serve({
    'chain.subscribe': async (_ports, _input, { signal }) =>
      (async function* () {
        for (; !signal.aborted && sent < 1_000; sent += 1) {
          await setImmediate()
          yield { type: 'newHeads', head: { extraData: 'x'.repeat(262_144) } }
        }
      })(),
  })
  const rpc = await openRpcSocket(url)
  await rpc.ask('eth_subscribe', ['newHeads'])
  rpc.socket.pause()
  await expect.poll(() => sent).toBeGreaterThan(33)
  let before = -1
  while (before !== sent) {
    before = sent
    for (let turn = 0; turn < 1_000; turn += 1) await setImmediate()
  }
  expect(sent).toBeLessThan(1_000)
  rpc.socket.resume()
  expect(await rpc.closed).toMatchObject({ code: 1013, reason: expect.stringContaining('too slowly') })
})

test('a reader that answers no ping while events wait for it is closed with a reason', async () => {
  let closed = false
  const handlers: Parameters<typeof serve>[0] = {
    'chain.subscribe': async (_ports, _input, { signal }) =>
      (async function* () {
        signal.addEventListener('abort', () => {
          closed = true
        })
        // Less than the limit of waiting bytes, and more than the buffers hold.
        for (let sent = 0; sent < 31; sent += 1) yield { type: 'newHeads', head: { extraData: 'x'.repeat(262_144) } }
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
      })(),
  }
  const { url } = await serve(handlers, false, { heartbeatMs: 100 })
  const rpc = await openRpcSocket(url)
  await rpc.ask('eth_subscribe', ['newHeads'])
  rpc.socket.pause()
  await expect.poll(() => closed).toBe(true)
  rpc.socket.resume()
  expect(await rpc.closed).toMatchObject({ code: 1013, reason: expect.stringContaining('too slowly') })
})
