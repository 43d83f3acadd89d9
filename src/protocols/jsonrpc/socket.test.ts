import { request as httpRequest } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openRpcSocket } from '../../../test/clients/rpc-socket.ts'
import { broadcast, rpcWorlds } from '../../../test/protocols/rpc-world.ts'
import { operationOf } from '../../contract/index.ts'
import { createCallers, proxyCheck } from '../caller.ts'

const serve = rpcWorlds()
const request = (method: string, params: unknown = [], id: unknown = 1) => ({ jsonrpc: '2.0', method, params, id })

test('requests, batches, notifications and binary frames are served as over HTTP', async () => {
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

test('a connection runs at most 32 requests at once, and loses none', async () => {
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

test('a response larger than the backlog of events is sent whole', async () => {
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

test('disconnecting aborts running requests', async () => {
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
  const { url } = await serve({}, false, { callers: createCallers({ isProxy: proxyCheck([]), apiKeys }) })
  const open = await Promise.all(Array.from({ length: 10 }, () => openRpcSocket(url)))
  await expect(openRpcSocket(url)).rejects.toMatchObject({
    status: 429,
    headers: { 'content-type': 'application/json', 'x-request-id': expect.any(String), 'retry-after': '1' },
    body: {
      jsonrpc: '2.0',
      id: null,
      error: { code: -32005, data: { limit: 10, reset: null, code: 'RATE_LIMITED', request_id: expect.any(String) } },
    },
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

test('an invalid handshake is refused as HTTP, and an upgrade to HTTP/2 is ignored', async () => {
  const { url } = await serve()
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

test('a connection that does not answer pings is cut; one that does stays open', async () => {
  const { url } = await serve({}, false, { heartbeatMs: 50 })
  const lively = await openRpcSocket(url)
  const silent = await openRpcSocket(url, { autoPong: false })
  expect((await silent.closed).code).toBe(1006)
  expect(await lively.ask('eth_chainId')).toHaveProperty('result')
  lively.socket.close()
})

test('every ping receives a pong with its own bytes', async () => {
  const { url } = await serve()
  const rpc = await openRpcSocket(url)
  for (const text of ['one', 'two']) {
    const pong = new Promise((resolve) => rpc.socket.once('pong', resolve))
    rpc.socket.ping(text)
    expect(String(await pong)).toBe(text)
  }
  rpc.socket.close()
})

test('a closing server finishes running requests, closes with 1001, and accepts no new socket', async () => {
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
  expect(await idle.closed).toEqual({ code: 1001, reason: expect.stringContaining('Connect again') })
  await expect.poll(() => streams.size).toBe(0)
  answer.resolve('0x7')
  expect(await answered).toMatchObject({ result: '0x7' })
  expect((await busy.closed).code).toBe(1001)
  await closing
})

test('a closing server does not wait forever', async () => {
  const world = await serve({ 'chain.chainId': async () => await new Promise(() => undefined) })
  const rpc = await openRpcSocket(world.url)
  rpc.send(request('eth_chainId'))
  expect(await rpc.ask('net_version')).toHaveProperty('result')
  await world.close()
  expect((await rpc.closed).code).toBe(1006)
})
