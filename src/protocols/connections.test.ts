import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { serveJson, service } from '../../test/protocols/json-service.ts'
import { authorized, callers, exampleWorld, serveWorld } from '../../test/protocols/world.ts'
import { serveRpc } from './jsonrpc/server.ts'

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close()
})
const opened = <T extends { close(): unknown }>(one: T): T => {
  open.push(one)
  return one
}

const idleMs = 400
const request = 'GET /health/none HTTP/1.1\r\nhost: localhost\r\n\r\n'

/** Milliseconds after which the server closes a connection on which this is sent, at once and every 100 ms. */
async function lifeOf(port: number, first: string, again: string): Promise<number> {
  const began = performance.now()
  const socket = connect(port, '127.0.0.1')
  socket.on('data', () => undefined).on('error', () => undefined)
  socket.write(first)
  const sending = setInterval(() => socket.write(again), 100)
  await new Promise((resolve) => socket.once('close', resolve))
  clearInterval(sending)
  return performance.now() - began
}

test.each([
  ['nothing', '', ''],
  ['empty lines', '', '\r\n'],
  ['a request, then nothing', request, ''],
  ['a request, then empty lines', request, '\r\n'],
])('a connection that sends %s is closed on both HTTP ports', async (_, first, again) => {
  const http = opened(await serveWorld(exampleWorld(), { idleMs }))
  const rpc = opened(await serveNode())
  for (const { port } of [http, rpc]) expect(await lifeOf(port, first, again)).toBeGreaterThanOrEqual(idleMs - 10)
})

test('a connection with requests, an open stream or a socket is not idle', async () => {
  const ended = Promise.withResolvers<void>()
  // The server closes only after many times the pause between two requests, however busy the machine is.
  const patient = 3_000
  const http = opened(
    await serveWorld(
      exampleWorld({
        'chat.stream': async () =>
          (async function* () {
            await ended.promise
            yield* []
          })(),
      }),
      { idleMs: patient },
    ),
  )
  const rpc = opened(await serveNode(patient))
  const socket = opened(new WebSocket(rpc.url.replace('http', 'ws')))
  await once(socket, 'open')
  const stream = await fetch(`${http.url}/api/v1/chatbot/chat/stream`, {
    method: 'POST',
    headers: { ...authorized, 'content-type': 'application/json' },
    body: '{"messages":[{"role":"user","content":"hello"}]}',
  })
  expect(stream.status).toBe(200)
  const asking = connect(http.port, '127.0.0.1').on('data', () => undefined)
  for (const began = performance.now(); performance.now() - began < 1.5 * patient; ) {
    asking.write(request)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  expect([asking.destroyed, socket.readyState]).toEqual([false, WebSocket.OPEN])
  ended.resolve()
  await stream.text() // throws where the connection was cut
  asking.destroy()
})

test.each(['h2c', 'websocket'])('a request to become %s is answered on a port without sockets', async (protocol) => {
  const http = opened(await serveWorld(exampleWorld(), { idleMs }))
  const head = `GET /none HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: ${protocol}\r\n\r\n`
  const socket = connect(http.port, '127.0.0.1')
  let answer = ''
  socket.on('data', (bytes) => (answer += bytes)).on('error', () => undefined)
  socket.write(head)
  await new Promise((resolve) => socket.once('close', resolve))
  expect(answer).toMatch(/^HTTP\/1.1 404 /)
})

test('a gRPC connection without a call gets GOAWAY, one with an open call does not', async () => {
  const ended = Promise.withResolvers<void>()
  const { server, client } = await serveJson(
    {
      'chat.resume': async () =>
        (async function* () {
          await ended.promise
          yield* []
        })(),
    },
    { idleMs },
  )
  opened(server)
  opened(client)
  const idle = connectHttp2(`http://127.0.0.1:${server.port}`)
  const [code] = await once(idle, 'goaway')
  expect(code).toBe(0)
  await once(idle, 'close')

  const busy = connectHttp2(`http://127.0.0.1:${server.port}`)
  const gone = once(busy, 'goaway')
  const call = busy.request({
    ':method': 'POST',
    ':path': `/${service}/chat_resume`,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...authorized,
  })
  const body = Buffer.from('{"stream_id":"1e7d3c5b-9a8f-4b62-8d04-c6e5f4a3b210"}')
  call.end(Buffer.concat([Buffer.from([0, 0, 0, 0, body.length]), body]))
  call.resume()
  const first = await Promise.race([
    gone.then(() => 'goaway'),
    new Promise((resolve) => setTimeout(resolve, 3 * idleMs)),
  ])
  expect([first, call.closed]).toEqual([undefined, false])
  ended.resolve()
  await once(call, 'end')
  await gone
})

async function serveNode(idle = idleMs) {
  const world = exampleWorld()
  return await serveRpc({
    ...world,
    callers,
    cors: { origins: [] },
    servesHost: () => true,
    host: '127.0.0.1',
    port: 0,
    graceMs: 100,
    idleMs: idle,
    unexpected: () => undefined,
  })
}
