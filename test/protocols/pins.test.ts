/**
 * What outside clients rely on and no schema states: exact bodies and headers of errors, frames of streams, the order in a
 * batch, trailers, close codes. The literals are frozen: a change here breaks clients, so it needs a new version. Each
 * test was seen to fail after a mutation of the code that it pins.
 */

import { once } from 'node:events'
import { connect, type IncomingHttpHeaders } from 'node:http2'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { DomainError } from '../../src/domain/core/errors.ts'
import type { AnyHandler } from '../../src/domain/core/handler.ts'
import { serveJson, service } from './json-service.ts'
import { broadcast, request, serveRpcWorld } from './rpc-world.ts'
import { serveTrpc } from './trpc-world.ts'
import { authorized, exampleWorld, json, serveWorld } from './world.ts'

let servers: AsyncDisposableStack
beforeEach(() => {
  servers = new AsyncDisposableStack()
})
afterEach(() => servers.disposeAsync())

const violations = [{ path: 'text', message: 'is empty', code: 'custom' }]
const refusal = new DomainError('INVALID_ARGUMENT', 'Send a text.', { violations, metadata: { limit: '5' } })
const later = new DomainError('UNAVAILABLE', 'Try later.', { retryAfterSeconds: 7 })
const streamId = '1e7d3c5b-9a8f-4b62-8d04-c6e5f4a3b210'

const nothing: AnyHandler = async () => (async function* () {})()

/** A stream of one event that ends, or fails. */
function oneEvent(failure?: DomainError): AnyHandler {
  return async () =>
    (async function* () {
      yield { id: `${streamId}:1`, role: 'assistant', content: 'one' }
      if (failure !== undefined) throw failure
    })()
}

const fails =
  (error: DomainError): AnyHandler =>
  async () => {
    throw error
  }

const caller = { ...authorized, 'x-request-id': 'pin-1' }

/** All headers of a response except those that change with time. */
function fixed(headers: Iterable<[string, unknown]>): Record<string, unknown> {
  return Object.fromEntries([...headers].filter(([name]) => !['date', 'x-ratelimit-reset'].includes(name)))
}

const counted = { 'x-ratelimit-limit': '100', 'x-ratelimit-remaining': '1', 'x-request-id': 'pin-1' }
const overHttp = {
  connection: 'keep-alive',
  'keep-alive': 'timeout=65',
  'x-content-type-options': 'nosniff',
  ...counted,
}

async function rest(handlers: Record<string, AnyHandler>) {
  const server = await serveWorld(exampleWorld(handlers))
  servers.defer(() => server.close())
  return server.url
}

test('REST: an error is a problem document', async () => {
  const url = await rest({ 'trading.previewIntent': fails(refusal) })
  const response = await fetch(`${url}/api/v1/multi-agent/preview`, {
    method: 'POST',
    headers: { ...caller, ...json },
    body: JSON.stringify({ text: 'swap' }),
  })
  expect([response.status, await response.text()]).toEqual([
    422,
    '{"type":"urn:trident:error:invalid-argument","title":"The request is not valid","status":422,"detail":"Send a text.","code":"INVALID_ARGUMENT","request_id":"pin-1","errors":[{"path":"text","message":"is empty","code":"custom"}],"metadata":{"limit":"5"}}',
  ])
  expect(fixed(response.headers)).toEqual({
    ...overHttp,
    'content-type': 'application/problem+json; charset=utf-8',
    'content-length': '253',
  })
})

test('REST: each event has its id in its own block, and the stream ends with [DONE]', async () => {
  const url = await rest({ 'chat.resume': oneEvent() })
  const response = await fetch(`${url}/api/v1/chatbot/chat/stream/${streamId}`, { headers: caller })
  expect(await response.text()).toBe(
    `id: ${streamId}:1\ndata: {"role":"assistant","content":"one","id":"${streamId}:1"}\n\ndata: [DONE]\n\n`,
  )
  expect(fixed(response.headers)).toEqual({
    ...overHttp,
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    'transfer-encoding': 'chunked',
  })
})

test('REST: the stream of the specification has lines of data alone, also of its failure', async () => {
  const url = await rest({ 'chat.stream': oneEvent(later) })
  const response = await fetch(`${url}/api/v1/chatbot/chat/stream`, {
    method: 'POST',
    headers: { ...caller, 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'hello' }] }),
  })
  expect(await response.text()).toBe(
    `data: {"role":"assistant","content":"one","id":"${streamId}:1"}\n\ndata: {"role":"assistant","content":"","error":{"type":"urn:trident:error:unavailable","title":"A part of the service is not available","status":503,"detail":"Try later.","code":"UNAVAILABLE","request_id":"pin-1","retry_after_seconds":7}}\n\n`,
  )
})

test('REST: a reader that has the last event of a stream that is over receives no content', async () => {
  const url = await rest({ 'chat.resume': nothing })
  const ask = (query: string, headers = {}) =>
    fetch(`${url}/api/v1/chatbot/chat/stream/${streamId}${query}`, { headers: { ...caller, ...headers } })
  for (const over of [await ask('', { 'last-event-id': `${streamId}:1` }), await ask(`?after_id=${streamId}:1`)]) {
    expect([over.status, await over.text()]).toEqual([204, ''])
    expect(fixed(over.headers)).toEqual({ ...overHttp, 'cache-control': 'no-store' })
  }
  expect(await (await ask('')).text()).toBe('data: [DONE]\n\n')
})

test('REST: a stream that fails ends with an error event', async () => {
  const url = await rest({ 'chat.resume': oneEvent(later) })
  const response = await fetch(`${url}/api/v1/chatbot/chat/stream/${streamId}`, { headers: caller })
  expect(await response.text()).toBe(
    `id: ${streamId}:1\ndata: {"role":"assistant","content":"one","id":"${streamId}:1"}\n\nevent: error\ndata: {"type":"urn:trident:error:unavailable","title":"A part of the service is not available","status":503,"detail":"Try later.","code":"UNAVAILABLE","request_id":"pin-1","retry_after_seconds":7}\n\n`,
  )
})

async function trpc(handlers: Record<string, AnyHandler>) {
  const server = await serveTrpc(exampleWorld(handlers))
  servers.defer(() => server.close())
  return (path: string) => fetch(`${server.url}/trpc/${path}`, { headers: caller })
}

test('tRPC: an error has its HTTP status and the facts of the domain', async () => {
  const get = await trpc({ 'chain.chainId': fails(later) })
  const response = await get('chain.chainId')
  expect([response.status, await response.text()]).toEqual([
    503,
    '{"error":{"message":"Try later.","code":-32603,"data":{"code":"SERVICE_UNAVAILABLE","httpStatus":503,"path":"chain.chainId","trident":{"code":"UNAVAILABLE","request_id":"pin-1","retry_after_seconds":7}}}}',
  ])
  expect(fixed(response.headers)).toEqual({
    ...overHttp,
    'content-type': 'application/json; charset=utf-8',
    'content-length': '204',
    'retry-after': '7',
    vary: 'trpc-accept, accept',
  })
})

test('tRPC: a batch has its results in the order of its calls', async () => {
  const get = await trpc({ 'chat.history': fails(refusal) })
  const response = await get('chain.chainId,chat.history,chain.netVersion?batch=1')
  expect([response.status, await response.text()]).toEqual([
    207,
    '[{"result":{"data":"0x14a34"}},{"error":{"message":"Send a text.","code":-32022,"data":{"code":"UNPROCESSABLE_CONTENT","httpStatus":422,"path":"chat.history","trident":{"code":"INVALID_ARGUMENT","request_id":"pin-1","errors":[{"path":"text","message":"is empty","code":"custom"}],"metadata":{"limit":"5"}}}}},{"result":{"data":"84532"}}]',
  ])
})

test('tRPC: a subscription has the frames of its clients, an error as the last', async () => {
  const get = await trpc({ 'chat.resume': oneEvent(later) })
  const response = await get(`chat.resume?input=${encodeURIComponent(JSON.stringify({ stream_id: streamId }))}`)
  expect(await response.text()).toBe(
    `event: connected\ndata: {"reconnectAfterInactivityMs":45000}\n\nid: ${streamId}:1\ndata: {"id":"${streamId}:1","role":"assistant","content":"one"}\n\nevent: serialized-error\ndata: {"message":"Try later.","code":-32603,"data":{"code":"SERVICE_UNAVAILABLE","httpStatus":503,"path":"chat.resume","trident":{"code":"UNAVAILABLE","request_id":"pin-1","retry_after_seconds":7}}}\n\n`,
  )
  expect(fixed(response.headers)).toEqual({
    ...overHttp,
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
    'transfer-encoding': 'chunked',
    vary: 'trpc-accept, accept',
  })
})

/** Calls a method over bare HTTP/2: its headers, messages and trailers. */
async function grpc(handlers: Record<string, AnyHandler>, method: string, body: object) {
  const { server, client } = await serveJson(handlers)
  client.close()
  servers.defer(() => server.close())
  const session = connect(`http://127.0.0.1:${server.port}`)
  servers.defer(() => session.close())
  const stream = session.request({
    ':method': 'POST',
    ':path': `/${service}/${method}`,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...caller,
  })
  const message = Buffer.from(JSON.stringify(body))
  const prefix = Buffer.alloc(5)
  prefix.writeUInt32BE(message.length, 1)
  stream.end(Buffer.concat([prefix, message]))
  let trailers: IncomingHttpHeaders = {}
  stream.on('trailers', (sent: IncomingHttpHeaders) => {
    trailers = sent
  })
  const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders]
  const messages = (await buffer(stream)).toString('latin1')
  return { headers: fixed(Object.entries(headers)), messages, trailers: fixed(Object.entries(trailers)) }
}

const grpcHeaders = {
  ':status': 200,
  'content-type': 'application/grpc+proto',
  'grpc-accept-encoding': 'identity,deflate,gzip',
  'grpc-encoding': 'identity',
}

test('gRPC: an error has its status and google.rpc details in the trailers', async () => {
  expect(await grpc({ 'trading.previewIntent': fails(refusal) }, 'trading_previewIntent', { text: 'swap' })).toEqual({
    headers: { ...grpcHeaders, 'x-request-id': 'pin-1' },
    messages: '',
    trailers: {
      ...counted,
      'grpc-status': '3',
      'grpc-message': 'Send%20a%20text.',
      'grpc-status-details-bin':
        'CAMSDFNlbmQgYSB0ZXh0LhpsCih0eXBlLmdvb2dsZWFwaXMuY29tL2dvb2dsZS5ycGMuRXJyb3JJbmZvEkAKEElOVkFMSURfQVJHVU1FTlQSC3RyaWRlbnQuZGV2GgoKBWxpbWl0EgE1GhMKCnJlcXVlc3RfaWQSBXBpbi0xGkcKKXR5cGUuZ29vZ2xlYXBpcy5jb20vZ29vZ2xlLnJwYy5CYWRSZXF1ZXN0EhoKGAoEdGV4dBIIaXMgZW1wdHkaBmN1c3RvbQ==',
    },
  })
})

test('gRPC: a stream that fails has its events, then its status', async () => {
  expect(await grpc({ 'chat.resume': oneEvent(later) }, 'chat_resume', { stream_id: streamId })).toEqual({
    headers: { ...grpcHeaders, ...counted },
    messages: `\0\0\0\0R{"id":"${streamId}:1","role":"assistant","content":"one"}`,
    trailers: {
      ...counted,
      'retry-after': '7',
      'grpc-status': '14',
      'grpc-message': 'Try%20later.',
      'grpc-status-details-bin':
        'CA4SClRyeSBsYXRlci4aWwoodHlwZS5nb29nbGVhcGlzLmNvbS9nb29nbGUucnBjLkVycm9ySW5mbxIvCgtVTkFWQUlMQUJMRRILdHJpZGVudC5kZXYaEwoKcmVxdWVzdF9pZBIFcGluLTEaMAoodHlwZS5nb29nbGVhcGlzLmNvbS9nb29nbGUucnBjLlJldHJ5SW5mbxIECgIIBw==',
    },
  })
})

async function rpc(handlers: Record<string, AnyHandler> = {}) {
  const world = await serveRpcWorld(handlers)
  servers.defer(() => world.close())
  const post = (body: unknown) =>
    fetch(world.url, { method: 'POST', headers: { ...caller, ...json }, body: JSON.stringify(body) })
  const connected = async () => {
    const socket = new WebSocket(world.url.replace('http', 'ws'))
    await once(socket, 'open')
    return socket
  }
  return { world, post, connected }
}

test('JSON-RPC: an error has its code and data, and HTTP status 200', async () => {
  const { post } = await rpc({ 'chain.getBalance': fails(refusal) })
  const response = await post(request('eth_getBalance', [`0x${'22'.repeat(20)}`, 'latest']))
  expect([response.status, await response.text()]).toEqual([
    200,
    '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params: Send a text.","data":{"code":"INVALID_ARGUMENT","request_id":"pin-1","errors":[{"path":"text","message":"is empty","code":"custom"}],"metadata":{"limit":"5"}}}}',
  ])
  expect(fixed(response.headers)).toEqual({
    ...overHttp,
    'content-type': 'application/json',
    'content-length': '234',
    vary: 'Origin',
  })
})

test('JSON-RPC: a batch has its responses in order, none for a notification, an id of null for an invalid request', async () => {
  const { post } = await rpc()
  const notification = { jsonrpc: '2.0', method: 'eth_chainId' }
  const batch = [
    request('eth_chainId', [], 'a'),
    notification,
    7,
    request('eth_none', [], null),
    request('net_version', [], 9),
  ]
  const response = await post(batch)
  expect([response.status, await response.text()]).toEqual([
    200,
    '[{"jsonrpc":"2.0","id":"a","result":"0x14a34"},{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request: a request is an object with jsonrpc, method, params and id."}},{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"Method not found: eth_none does not exist. rpc.discover lists the known methods.","data":{"request_id":"pin-1"}}},{"jsonrpc":"2.0","id":9,"result":"84532"}]',
  ])
})

test('JSON-RPC: a socket sends the id of a subscription, then its notifications', async () => {
  const source = broadcast()
  const { connected } = await rpc(source.handlers)
  const socket = await connected()
  const next = async () => String((await once(socket, 'message'))[0])
  socket.send(JSON.stringify(request('eth_subscribe', ['newPendingTransactions'])))
  const response = await next()
  const id = /^\{"jsonrpc":"2\.0","id":1,"result":"(0x[0-9a-f]{32})"\}$/.exec(response)?.[1]
  const notified = next()
  source.send({ type: 'newPendingTransactions', transactionHash: '0x11' })
  expect(await notified).toBe(
    `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${id}","result":"0x11"}}`,
  )
})

test('JSON-RPC: a socket is closed with 1009 for a large message, 1011 or 1013 for a failed subscription, 1001 at the end', async () => {
  const source = broadcast()
  const { world, connected } = await rpc(source.handlers)
  const codeOf = async (socket: WebSocket) => (await once(socket, 'close'))[0]
  const large = await connected()
  large.send('x'.repeat(1_048_577))
  expect(await codeOf(large)).toBe(1009)
  for (const [failure, code] of [
    [new Error('unexpected'), 1011],
    [later, 1013],
  ] as const) {
    const socket = await connected()
    socket.send(JSON.stringify(request('eth_subscribe', ['newPendingTransactions'])))
    await once(socket, 'message')
    source.send(failure)
    expect(await codeOf(socket)).toBe(code)
  }
  const last = codeOf(await connected())
  await world.close()
  expect(await last).toBe(1001)
})
