import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js'
import { afterEach, expect, test } from 'vitest'
import { details, metadataOf, raw, serveJson, unary } from '../../../test/protocols/json-service.ts'
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

const compressed = { 'grpc.default_compression_algorithm': 2 }

test.each([
  ['a message that is too large', 'metrics.realizedPnl', Buffer.alloc(1_100_000), {}, 8, 'PAYLOAD_TOO_LARGE', /1 MiB/],
  ['one that becomes so', 'metrics.realizedPnl', Buffer.alloc(3_000_000), compressed, 8, 'PAYLOAD_TOO_LARGE', /1 MiB/],
  ['an unknown method', 'chat.nothing', '{}', {}, 12, 'UNIMPLEMENTED', /reflection lists/],
])(
  '%s is refused in our words, with details and the request id',
  async (_name, id, body, options, code, reason, words) => {
    const { server } = await serve()
    const client = new Client(`127.0.0.1:${server.port}`, credentials.createInsecure(), options)
    open.push(client)
    const { error, trailers } = await unary(client, id, body, metadataOf({ 'x-request-id': 'mine-7' }))
    expect([error?.code, trailers.get('x-request-id')]).toEqual([code, ['mine-7']])
    expect(error?.details).toMatch(words)
    expect(details(trailers)).toContain(reason)
    expect(details(trailers)).toContain('mine-7')
  },
)

test('a call without a request id receives one, the same in headers and trailers', async () => {
  const { client } = await serve()
  const { initial, trailers } = await unary(client, 'metrics.realizedPnl', '{}')
  expect(initial.get('x-request-id')).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)])
  expect(trailers.get('x-request-id')).toEqual(initial.get('x-request-id'))
})

test('a message with a lone surrogate ends its call and nothing else', async () => {
  const { client } = await serve({
    'metrics.realizedPnl': async () => {
      throw new DomainError('INVALID_ARGUMENT', 'a\ud83d', {
        violations: [{ path: 'b\ud83d', message: 'c\ud83d', code: 'd' }],
        metadata: { e: 'f\ud83d' },
      })
    },
  })
  const { error, trailers } = await unary(client, 'metrics.realizedPnl', '{}')
  expect([error?.code, error?.details]).toEqual([status.INVALID_ARGUMENT, 'a\ufffd'])
  expect(Buffer.from(details(trailers), 'latin1').toString()).toContain('f\ufffd')
})

test('the health service survives a request for a name with invalid bytes', async () => {
  const { client } = await serve()
  const asked = Promise.withResolvers<ServiceError | null>()
  const name = Buffer.from([0x0a, 3, 0xed, 0xa0, 0x80])
  client.makeUnaryRequest('/grpc.health.v1.Health/Check', raw, raw, name, (error) => asked.resolve(error))
  const error = await asked.promise
  expect([error?.code, error?.details]).toEqual([status.NOT_FOUND, expect.stringMatching(/reflection lists/)])
  expect(details(error?.metadata ?? new Metadata())).toContain('NOT_FOUND')
})
