import { once } from 'node:events'
import { connect } from 'node:http2'
import { type Client, Metadata, type ServiceError, status } from '@grpc/grpc-js'
import { afterEach, expect, test, vi } from 'vitest'
import { details, metadataOf, raw, serveJson, service, unary } from '../../../test/protocols/json-service.ts'
import { authorized } from '../../../test/protocols/world.ts'
import { DomainError } from '../../domain/errors.ts'
import type { AnyHandler } from '../../domain/handler.ts'
import { callsOfConnection } from './server.ts'

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close()
})

async function serve(...options: Parameters<typeof serveJson>) {
  const served = await serveJson(...options)
  open.push(served.server, served.client)
  return served
}

const streamId = '1e7d3c5b-9a8f-4b62-8d04-c6e5f4a3b210'
const piece = (seq: number, content = 'x') => ({ id: `${streamId}:${seq}`, role: 'assistant', content })
const head = { ':method': 'POST', te: 'trailers', 'content-type': 'application/grpc' }
const framed = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, 0, bytes.length]), bytes])
const resume = (client: Client, metadata = metadataOf()) =>
  client.makeServerStreamRequest(
    `/${service}/chat_resume`,
    raw,
    raw,
    Buffer.from(JSON.stringify({ stream_id: streamId })),
    metadata,
  )

test('an answer has its headers before and after it, and the request id of the caller', async () => {
  const { client, world } = await serve()
  const { error, output, initial, trailers } = await unary(
    client,
    'metrics.realizedPnl',
    '{}',
    metadataOf({ 'x-request-id': 'mine-3' }),
  )
  expect([error, output]).toEqual([null, world.operations.get('metrics.realizedPnl')?.example.output])
  for (const metadata of [initial, trailers]) {
    expect([metadata.get('x-request-id'), metadata.get('x-ratelimit-limit')]).toEqual([['mine-3'], ['100']])
  }
})

test('refusals have their status and say more in the details', async () => {
  const { client } = await serve()
  const anonymous = await unary(client, 'metrics.realizedPnl', '{}', new Metadata())
  expect(anonymous.error?.code).toBe(status.UNAUTHENTICATED)
  expect(details(anonymous.trailers)).toContain('UNAUTHENTICATED')
  const wrong = await unary(client, 'trading.previewIntent', '{"text":7}')
  expect(wrong.error?.code).toBe(status.INVALID_ARGUMENT)
  expect(details(wrong.trailers)).toMatch(
    /google\.rpc\.ErrorInfo[\s\S]*trident[\s\S]*google\.rpc\.BadRequest[\s\S]*text/,
  )
  const limited = await unary((await serve({}, { limited: true })).client, 'metrics.realizedPnl', '{}')
  expect([limited.error?.code, limited.trailers.get('retry-after')]).toEqual([status.RESOURCE_EXHAUSTED, ['7']])
  expect(details(limited.trailers)).toContain('google.rpc.RetryInfo')
})

test('what broke is hidden, what is not built says so', async () => {
  const broken = await serve({
    'metrics.realizedPnl': async () => {
      throw new Error('secret of the house')
    },
    'trading.previewIntent': async () => {
      throw new DomainError('UNIMPLEMENTED', 'Not built yet.')
    },
  })
  const { error, trailers } = await unary(broken.client, 'metrics.realizedPnl', '{}')
  expect([error?.code, `${error?.details}${details(trailers)}`.includes('secret')]).toEqual([status.INTERNAL, false])
  expect((await unary(broken.client, 'trading.previewIntent', '{"text":"x"}')).error?.code).toBe(status.UNIMPLEMENTED)
})

test('bytes that do not decode are INVALID_ARGUMENT', async () => {
  const { client } = await serve()
  expect((await unary(client, 'metrics.realizedPnl', 'garbage')).error?.code).toBe(status.INVALID_ARGUMENT)
})

test('a deadline that passes aborts the operation', async () => {
  const aborted = Promise.withResolvers<void>()
  const { client } = await serve({
    'metrics.realizedPnl': async (_ports, _input, call) => {
      call.signal.addEventListener('abort', () => aborted.resolve())
      return await new Promise(() => undefined)
    },
  })
  const { error } = await unary(client, 'metrics.realizedPnl', '{}', metadataOf(), 300)
  expect(error?.code).toBe(status.DEADLINE_EXCEEDED)
  await aborted.promise
})

test('a stream sends its events and ends; a refusal and a later failure are its status', async () => {
  const { client } = await serve({
    'chat.resume': async () =>
      (async function* () {
        yield piece(1)
        yield piece(2)
        throw new DomainError('UNAVAILABLE', 'The assistant does not answer.', {}, new Error('inner secret'))
      })(),
  })
  const events: unknown[] = []
  const failure = await new Promise<ServiceError>((resolve) => {
    const call = resume(client)
    call.on('data', (bytes: Buffer) => events.push(JSON.parse(bytes.toString())))
    call.on('error', (error) => resolve(error as ServiceError))
  })
  expect(events).toEqual([piece(1), piece(2)])
  expect([failure.code, failure.details]).toEqual([status.UNAVAILABLE, 'The assistant does not answer.'])
  const refused = await new Promise<ServiceError>((resolve) =>
    resume(client, new Metadata())
      .on('data', () => undefined)
      .on('error', (error) => resolve(error as ServiceError)),
  )
  expect(refused.code).toBe(status.UNAUTHENTICATED)
})

test('a reader that cancels aborts the stream and closes its generator', async () => {
  const closed = Promise.withResolvers<void>()
  const { client } = await serve({
    'chat.resume': async (_ports, _input, call) =>
      (async function* () {
        try {
          yield piece(1)
          await new Promise((resolve) => call.signal.addEventListener('abort', resolve))
        } finally {
          closed.resolve()
        }
      })(),
  })
  const call = resume(client)
  call.on('error', () => undefined)
  call.once('data', () => call.cancel())
  await closed.promise
})

test('a reader that takes nothing is not written for, and is told why once it reads', async () => {
  let made = 0
  const closed = Promise.withResolvers<void>()
  const handler: AnyHandler = async () =>
    (async function* () {
      try {
        for (;;) yield piece(++made, 'x'.repeat(200_000))
      } finally {
        closed.resolve()
      }
    })()
  const { server } = await serve({ 'chat.resume': handler }, { slowReaderMs: 100 })
  // HTTP/2 itself: a gRPC library reads ahead of its user.
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
  expect(decodeURIComponent(trailers['grpc-message'])).toContain('did not come within 0.05 s')
  expect(trailers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
  session.destroy()
})

test('calls that never begin leave their places to others once they are ended', async () => {
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

test('a connection of a stranger holds no more calls than it may, whatever they are', async () => {
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

test('a token that cannot be read is written to no log', async () => {
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

test('closing ends open streams with UNAVAILABLE', async () => {
  const { client, server } = await serve({
    'chat.resume': async () =>
      (async function* () {
        yield piece(1)
        await new Promise(() => undefined)
      })(),
  })
  const call = resume(client)
  const ended = new Promise<ServiceError>((resolve) => call.on('error', (error) => resolve(error as ServiceError)))
  await new Promise((resolve) => call.once('data', resolve))
  await server.close()
  expect((await ended).code).toBe(status.UNAVAILABLE)
  open.splice(0, open.length, client)
})
