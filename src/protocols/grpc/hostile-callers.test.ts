import { once } from 'node:events'
import { connect } from 'node:http2'
import { status } from '@grpc/grpc-js'
import { expect, onTestFinished, test, vi } from 'vitest'
import { serveJson, service } from '../../../test/protocols/json-service.ts'
import { authorized } from '../../../test/protocols/world.ts'
import type { AnyHandler } from '../../domain/core/handler.ts'
import { callsOfConnection } from './server.ts'

// Bare HTTP/2, because a gRPC library would not send these requests.
async function serve(...options: Parameters<typeof serveJson>) {
  const served = await serveJson(...options)
  onTestFinished(async () => {
    served.client.close()
    await served.server.close()
  })
  return served
}

const streamId = '1e7d3c5b-9a8f-4b62-8d04-c6e5f4a3b210'
const head = { ':method': 'POST', te: 'trailers', 'content-type': 'application/grpc' }
const framed = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, 0, bytes.length]), bytes])

test('a reader that does not read stops the producer, and receives the reason once it reads', async () => {
  let made = 0
  const closed = Promise.withResolvers<void>()
  const handler: AnyHandler = async () =>
    (async function* () {
      try {
        for (;;) yield { id: `${streamId}:${++made}`, role: 'assistant', content: 'x'.repeat(200_000) }
      } finally {
        closed.resolve()
      }
    })()
  const { server } = await serve({ 'chat.resume': handler }, { slowReaderMs: 100 })
  const session = connect(`http://127.0.0.1:${server.port}`)
  const call = session.request({ ...head, ...authorized, ':path': `/${service}/chat_resume` })
  call.end(framed(Buffer.from(JSON.stringify({ stream_id: streamId }))))
  await closed.promise
  expect(made).toBeLessThan(5)
  call.resume()
  const [trailers] = await once(call, 'trailers')
  expect(trailers['grpc-status']).toBe(String(status.DEADLINE_EXCEEDED))
  expect(decodeURIComponent(trailers['grpc-message'])).toContain('too slow')
  session.close()
})

test.each([
  ['whose message does not come', 'chat_resume', Buffer.alloc(0)],
  ['of a stream that is not ended', 'chat_resume', framed(Buffer.from(JSON.stringify({ stream_id: streamId })))],
  ['of one answer that is not ended', 'metrics_realizedPnl', framed(Buffer.from('{}'))],
])('a call %s is ended', async (_name, method, sent) => {
  const { server } = await serve({}, { arrivalMs: 50 })
  const session = connect(`http://127.0.0.1:${server.port}`)
  const call = session.request({ ...head, ...authorized, ':path': `/${service}/${method}` }, { endStream: false })
  call.write(sent)
  call.resume()
  const [trailers] = await once(call, 'response')
  expect(trailers['grpc-status']).toBe(String(status.DEADLINE_EXCEEDED))
  expect(decodeURIComponent(trailers['grpc-message'])).toContain('did not arrive within 0.05 s')
  expect(trailers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
  session.destroy()
})

test('calls that never begin free their streams once they are ended', async () => {
  const { server } = await serve({}, { arrivalMs: 50 })
  const session = connect(`http://127.0.0.1:${server.port}`)
  await once(session, 'remoteSettings')
  const silent = Array.from({ length: callsOfConnection }, () => {
    const call = session.request({ ...head, ':path': `/${service}/chat_resume` }, { endStream: false })
    call.on('error', () => undefined)
    return once(call, 'response')
  })
  for (const [trailers] of await Promise.all(silent))
    expect(trailers['grpc-status']).toBe(String(status.DEADLINE_EXCEEDED))
  const check = session.request({ ...head, ':path': '/grpc.health.v1.Health/Check' })
  check.end(framed(Buffer.alloc(0)))
  const [trailers] = await once(check.resume(), 'trailers')
  expect(trailers['grpc-status']).toBe(String(status.OK))
  session.destroy()
})

test('an unauthenticated connection has a bounded number of calls, of any kind', async () => {
  const { server } = await serve()
  const session = connect(`http://127.0.0.1:${server.port}`)
  await once(session, 'remoteSettings')
  const watch = () => {
    const call = session.request({ ...head, ':path': '/grpc.health.v1.Health/Watch' })
    call.end(Buffer.alloc(5))
    call.on('error', () => undefined)
    return once(call, 'response')
  }
  const held = Array.from({ length: callsOfConnection }, watch)
  await Promise.all(held)
  let more = false
  const opened = () => {
    more = true
  }
  void watch().then(opened, () => undefined)
  await new Promise((resolve) => session.ping(() => resolve(undefined)))
  expect([session.remoteSettings.maxConcurrentStreams, more]).toEqual([callsOfConnection, false])
  session.destroy()
})

test('an unreadable token is not logged', async () => {
  const { server } = await serve()
  const written = vi.spyOn(console, 'error')
  const session = connect(`http://127.0.0.1:${server.port}`)
  const call = session.request({
    ...head,
    ':path': '/grpc.health.v1.Health/Check',
    authorization: 'Bearer secret\u00ff',
  })
  call.end(Buffer.alloc(5))
  await once(call, 'response')
  expect(written).not.toHaveBeenCalled()
  written.mockRestore()
  session.destroy()
})

test.each([false, true])(
  'each message of a reflection call counts against the rate of the node: refused %s',
  async (limited) => {
    const { server } = await serve({}, { limited })
    const session = connect(`http://127.0.0.1:${server.port}`)
    const call = session.request({ ...head, ':path': '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo' })
    const listServices = framed(Buffer.from([(7 << 3) | 2, 1, 42]))
    let answered = 0
    call.on('data', () => {
      answered += 1
      if (answered === 3) call.end()
    })
    for (let sent = 0; sent < 3; sent += 1) call.write(listServices)
    const [trailers] = await once(call, limited ? 'response' : 'trailers')
    const seen = trailers['grpc-status'] ?? (await once(call, 'trailers'))[0]['grpc-status']
    expect([seen, answered > 0]).toEqual([String(limited ? status.RESOURCE_EXHAUSTED : status.OK), !limited])
    session.destroy()
  },
)
