import { type ServiceError, status } from '@grpc/grpc-js'
import { afterEach, expect, test } from 'vitest'
import { details, metadataOf, raw, serveJson, service, unary } from '../../../test/protocols/json-service.ts'
import { answerBytes, sizeKey, sizeTaken } from './answer-size.ts'

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close()
})

async function serve(...options: Parameters<typeof serveJson>) {
  const served = await serveJson(...options)
  open.push(served.server, served.client)
  return served
}

const taking = (bytes: number | string) => metadataOf({ [sizeKey]: `${bytes}` })

test('an answer is sent to who takes it, and else its size is said before anything of it is sent', async () => {
  const { client, world } = await serve()
  const example = world.operations.get('metrics.realizedPnl')?.example.output
  const bytes = Buffer.byteLength(JSON.stringify(example))
  const exact = await unary(client, 'metrics.realizedPnl', '{}', taking(bytes))
  expect([exact.error, exact.output]).toEqual([null, example])
  const { error, output, trailers } = await unary(client, 'metrics.realizedPnl', '{}', taking(bytes - 1))
  expect([error?.code, output]).toEqual([status.RESOURCE_EXHAUSTED, undefined])
  expect(error?.details).toContain(`has ${bytes} bytes, and the limit is ${bytes - 1}.`)
  expect(details(trailers)).toMatch(/PAYLOAD_TOO_LARGE/)
  expect(details(trailers)).toMatch(new RegExp(`needed_bytes\\W+${bytes}\\W`))
  expect(details(trailers)).toMatch(new RegExp(`limit_bytes\\W+${bytes - 1}\\W`))
  expect(world.unexpected).toEqual([])
})

test('a stream ends at the first message that is too long', async () => {
  const { client } = await serve({
    'chat.resume': async () =>
      (async function* () {
        for (const length of [1, 2, 900, 3]) yield { id: `s:${length}`, role: 'assistant', content: 'x'.repeat(length) }
      })(),
  })
  const asked = Buffer.from(JSON.stringify({ stream_id: '1e7d3c5b-9a8f-4b62-8d04-c6e5f4a3b210' }))
  const call = client.makeServerStreamRequest(`/${service}/chat_resume`, raw, raw, asked, taking(500))
  const ids: string[] = []
  const failure = await new Promise<ServiceError>((resolve) => {
    call.on('data', (bytes: Buffer) => ids.push(JSON.parse(bytes.toString()).id))
    call.on('error', (error) => resolve(error as ServiceError))
  })
  expect([ids, failure.code]).toEqual([['s:1', 's:2'], status.RESOURCE_EXHAUSTED])
})

test('the size that a caller takes is a whole number up to the most that is sent', () => {
  expect(sizeTaken(undefined)).toBe(answerBytes.usual)
  expect([1, 2_000, answerBytes.most].map((bytes) => sizeTaken(`${bytes}`))).toEqual([1, 2_000, answerBytes.most])
  for (const wrong of ['0', '-1', '', '01', '1.5', '1e3', '4 MiB', `${answerBytes.most + 1}`, '9'.repeat(400)])
    expect(() => sizeTaken(wrong)).toThrow(`${sizeKey}: must be a whole number of bytes from 1 to ${answerBytes.most}`)
})
