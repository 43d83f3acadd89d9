import { type Client, Metadata, type ServiceError, status } from '@grpc/grpc-js'
import { afterEach, expect, test } from 'vitest'
import { details, metadataOf, raw, serveJson, service, unary } from '../../../test/protocols/json-service.ts'
import { DomainError } from '../../domain/core/errors.ts'

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
const piece = (seq: number) => ({ id: `${streamId}:${seq}`, role: 'assistant', content: 'x' })
const resume = (client: Client, metadata = metadataOf()) =>
  client.makeServerStreamRequest(
    `/${service}/chat_resume`,
    raw,
    raw,
    Buffer.from(JSON.stringify({ stream_id: streamId })),
    metadata,
  )

test("a response has its headers before and after it, and the caller's request id", async () => {
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

test('refusals have their status and error details', async () => {
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

test('an unexpected failure is hidden, an unimplemented operation says so', async () => {
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
