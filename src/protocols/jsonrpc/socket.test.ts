import { setImmediate } from 'node:timers/promises'
import { createPublicClient, webSocket } from 'viem'
import { afterEach, expect, test } from 'vitest'
import { openRpcSocket } from '../../../test/clients/rpc-socket.ts'
import { type RpcWorld, serveRpcWorld } from '../../../test/protocols/rpc-world.ts'
import { operationOf } from '../../contract/index.ts'
import { DomainError } from '../../domain/errors.ts'
import type { AnyHandler } from '../../domain/handler.ts'
import { createCallers } from '../caller.ts'

const worlds: RpcWorld[] = []
afterEach(async () => {
  await Promise.all(worlds.splice(0).map((world) => world.close()))
})

async function serve(...given: Parameters<typeof serveRpcWorld>): Promise<RpcWorld> {
  const world = await serveRpcWorld(...given)
  worlds.push(world)
  return world
}

const request = (method: string, params: unknown = [], id: unknown = 1) => ({ jsonrpc: '2.0', method, params, id })
const head = operationOf('chain.subscribe').example.output.head

/** A handler whose events the test sends to all streams that are open. */
function broadcast() {
  const streams = new Set<{ input: unknown; push: (event: unknown) => void }>()
  const handler: AnyHandler = async (_ports, input, { signal }) =>
    (async function* () {
      const events: unknown[] = []
      let wake = () => {}
      const push = (event: unknown) => {
        events.push(event)
        wake()
      }
      const stream = { input, push }
      streams.add(stream)
      signal.addEventListener('abort', () => wake())
      while (!signal.aborted) {
        for (const event of events.splice(0)) {
          if (event instanceof Error) throw event
          yield event
        }
        await new Promise<void>((resolve) => {
          wake = resolve
          if (events.length > 0 || signal.aborted) resolve()
        })
      }
      streams.delete(stream)
    })()
  const send = (event: unknown) => {
    for (const { push } of streams) push(event)
  }
  return { handlers: { 'chain.subscribe': handler }, streams, send }
}

test('requests, batches, notifications and binary frames are answered as over HTTP', async () => {
  const { url } = await serve()
  const rpc = await openRpcSocket(url)
  expect(await rpc.ask('eth_chainId')).toMatchObject({ result: operationOf('chain.chainId').example.output })
  rpc.send({ jsonrpc: '2.0', method: 'eth_chainId' })
  rpc.send([request('eth_chainId', [], 'a'), { jsonrpc: '2.0', method: 'eth_chainId' }, 7])
  expect(await rpc.next()).toMatchObject([{ id: 'a' }, { id: null, error: { code: -32600 } }])
  rpc.send(Buffer.from(JSON.stringify(request('eth_nothing', [], 9))))
  expect(await rpc.next()).toMatchObject({ id: 9, error: { code: -32601 } })
  for (const [frame, code] of [
    ['{', -32700],
    [Buffer.from([0x22, 0xff, 0x22]), -32700],
    ['[]', -32600],
    ['', -32700],
  ] as const) {
    rpc.send(frame)
    expect(await rpc.next()).toMatchObject({ id: null, error: { code } })
  }
  rpc.socket.close()
})

test('a subscription tells its events after its id, until it is ended', async () => {
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

test('an id is answered before the first event, also where the events are there at once and in a batch', async () => {
  const { url } = await serve()
  const rpc = await openRpcSocket(url)
  rpc.send([request('eth_subscribe', ['newHeads'], 1), request('eth_chainId', [], 2)])
  const [{ result }] = await rpc.next()
  expect(await rpc.next()).toMatchObject({ params: { subscription: result, result: head } })
  rpc.socket.close()
})

test('the filter of logs is passed on; what is not for a type is refused', async () => {
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
  expect(refused).toMatchObject([{ error: { code: -32005, data: { limit: 100, reset: null } } }])
  expect(await rpc.ask('eth_unsubscribe', [made[0].result])).toMatchObject({ result: true })
  expect(await rpc.ask('eth_subscribe', ['newHeads'])).toHaveProperty('result')
  rpc.socket.close()
})

test.each([
  [new DomainError('UNAVAILABLE', 'Fell behind.'), 1013, 'Fell behind.'],
  [new Error('secret of the house'), 1011, expect.stringContaining('broke on our side')],
])('a subscription that breaks (%s) closes its connection with the reason', async (failure, code, reason) => {
  const { handlers, send, streams } = broadcast()
  const { url } = await serve(handlers)
  const rpc = await openRpcSocket(url)
  await rpc.ask('eth_subscribe', ['newHeads'])
  await expect.poll(() => streams.size).toBe(1)
  send(failure)
  expect(await rpc.closed).toEqual({ code, reason })
})

test('a reader that leaves more than 8 MiB of events waiting is closed with a reason', async () => {
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

test('a connection has at most 32 requests answered at once, and none is lost', async () => {
  let running = 0
  let most = 0
  const { url } = await serve({
    'chain.chainId': async () => {
      most = Math.max(most, ++running)
      for (let turn = 0; turn < 5; turn += 1) await setImmediate()
      running -= 1
      return '0x1'
    },
  })
  const rpc = await openRpcSocket(url)
  const answers = await Promise.all(Array.from({ length: 500 }, () => rpc.ask('eth_chainId')))
  expect(answers.filter(({ result }) => result === '0x1')).toHaveLength(500)
  expect(most).toBe(32)
  rpc.socket.close()
})

test('an answer larger than what events may take is sent whole', async () => {
  const { url } = await serve({ 'chain.web3ClientVersion': async () => 'x'.repeat(12_000_000) })
  const rpc = await openRpcSocket(url)
  const answers = await Promise.all([1, 2, 3].map(() => rpc.ask('web3_clientVersion')))
  expect(answers.map(({ result }) => result.length)).toEqual([12_000_000, 12_000_000, 12_000_000])
  rpc.socket.close()
})

test('a message of more than 1 MiB closes the connection with 1009', async () => {
  const { url } = await serve()
  const rpc = await openRpcSocket(url)
  rpc.send(' '.repeat(1_048_577))
  expect((await rpc.closed).code).toBe(1009)
})

test('leaving aborts what is being answered', async () => {
  const aborted = Promise.withResolvers<void>()
  const started = Promise.withResolvers<void>()
  const { url } = await serve({
    'chain.chainId': async (_ports, _input, { signal }) => {
      signal.addEventListener('abort', () => aborted.resolve())
      started.resolve()
      return await new Promise(() => undefined)
    },
  })
  const rpc = await openRpcSocket(url)
  rpc.send(request('eth_chainId'))
  await started.promise
  rpc.socket.terminate()
  await aborted.promise
})

test('rates hold over a socket: -32005 with the limit and its reset', async () => {
  const { url } = await serve({}, true)
  const rpc = await openRpcSocket(url)
  for (const method of ['eth_chainId', 'eth_subscribe', 'eth_unsubscribe', 'eth_nothing'])
    expect(await rpc.ask(method, ['newHeads'])).toMatchObject({
      error: { code: -32005, data: { limit: 100, reset: expect.any(Number) } },
    })
  rpc.socket.close()
})

test('an address has ten sockets, one with a key of a higher tier fifty, counted apart', async () => {
  const apiKeys = [{ key: 'key-of-a-customer', tier: 'pro' as const }]
  const { url } = await serve({}, false, { callers: createCallers({ host: '127.0.0.1', trustedProxies: [], apiKeys }) })
  const open = await Promise.all(Array.from({ length: 10 }, () => openRpcSocket(url)))
  await expect(openRpcSocket(url)).rejects.toMatchObject({
    status: 429,
    headers: { 'content-type': 'application/json', 'x-request-id': expect.any(String), 'retry-after': '1' },
    body: { jsonrpc: '2.0', id: null, error: { code: -32005, data: { limit: 10, reset: null } } },
  })
  const headers = { 'x-api-key': 'key-of-a-customer' }
  open.push(...(await Promise.all(Array.from({ length: 50 }, () => openRpcSocket(url, { headers })))))
  await expect(openRpcSocket(url, { headers })).rejects.toMatchObject({ body: { error: { data: { limit: 50 } } } })
  open[0]?.socket.close()
  await open[0]?.closed
  await expect
    .poll(() =>
      openRpcSocket(url).then(
        (rpc) => rpc.socket.close() ?? 'open',
        () => 'refused',
      ),
    )
    .toBe('open')
  for (const { socket } of open) socket.terminate()
})

test('a web page connects from a configured origin alone, and only to /', async () => {
  const { url } = await serve()
  const allowed = await openRpcSocket(url, { origin: 'https://app.example' })
  expect(await allowed.ask('eth_chainId')).toHaveProperty('result')
  allowed.socket.close()
  await expect(openRpcSocket(url, { origin: 'https://evil.example' })).rejects.toMatchObject({ status: 403 })
  await expect(openRpcSocket(`${url}/ws`)).rejects.toMatchObject({ status: 404, body: { error: { code: -32600 } } })
})

test('what is no handshake is refused as HTTP, and a wish for HTTP/2 is ignored', async () => {
  const { url } = await serve()
  const { request: httpRequest } = await import('node:http')
  const ask = (headers: Record<string, string>, method: string, body = '') =>
    new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const sent = httpRequest(url, { method, headers }, async (response) => {
        const chunks: Buffer[] = []
        for await (const chunk of response) chunks.push(chunk)
        resolve({ status: response.statusCode, text: String(Buffer.concat(chunks)) })
      })
      sent.on('error', reject)
      sent.end(body)
    })
  const odd = await ask({ connection: 'upgrade', upgrade: 'websocket' }, 'GET')
  expect([odd.status, JSON.parse(odd.text)]).toMatchObject([400, { error: { code: -32600 } }])
  const http2 = { connection: 'upgrade, http2-settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABk' }
  const plain = await ask(
    { ...http2, 'content-type': 'application/json' },
    'POST',
    JSON.stringify(request('eth_chainId')),
  )
  expect([plain.status, JSON.parse(plain.text)]).toMatchObject([200, { id: 1, result: expect.any(String) }])
})

test('a connection that gives no sign of life is cut; one that answers pings stays', async () => {
  const { url } = await serve({}, false, { heartbeatMs: 50 })
  const lively = await openRpcSocket(url)
  const silent = await openRpcSocket(url, { autoPong: false })
  expect((await silent.closed).code).toBe(1006)
  expect(await lively.ask('eth_chainId')).toHaveProperty('result')
  lively.socket.close()
})

test('every ping in turn is answered with its own bytes', async () => {
  const { url } = await serve()
  const rpc = await openRpcSocket(url)
  for (const text of ['one', 'two']) {
    const pong = new Promise((resolve) => rpc.socket.once('pong', resolve))
    rpc.socket.ping(text)
    expect(String(await pong)).toBe(text)
  }
  rpc.socket.close()
})

test('a closing server finishes what it answers, says goodbye with 1001, and takes nobody in', async () => {
  const started = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<string>()
  const { handlers, streams } = broadcast()
  const world = await serve({
    ...handlers,
    'chain.chainId': async () => {
      started.resolve()
      return await answer.promise
    },
  })
  const [busy, idle] = await Promise.all([openRpcSocket(world.url), openRpcSocket(world.url)])
  await idle.ask('eth_subscribe', ['newHeads'])
  const answered = busy.ask('eth_chainId')
  await started.promise
  const closing = world.close()
  expect(await idle.closed).toEqual({ code: 1001, reason: expect.stringContaining('connect again') })
  await expect.poll(() => streams.size).toBe(0)
  answer.resolve('0x7')
  expect(await answered).toMatchObject({ result: '0x7' })
  expect((await busy.closed).code).toBe(1001)
  await closing
  worlds.splice(worlds.indexOf(world), 1)
})

test('a closing server does not wait for ever', async () => {
  const world = await serve({ 'chain.chainId': async () => await new Promise(() => undefined) })
  const rpc = await openRpcSocket(world.url)
  rpc.send(request('eth_chainId'))
  expect(await rpc.ask('net_version')).toHaveProperty('result')
  await world.close()
  expect((await rpc.closed).code).toBe(1006)
  worlds.splice(worlds.indexOf(world), 1)
})
