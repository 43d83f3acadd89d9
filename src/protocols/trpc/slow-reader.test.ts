import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { serveTrpc } from '../../../test/protocols/trpc-world.ts'
import { authorized, exampleWorld, json } from '../../../test/protocols/world.ts'

const streamId = '1e7d3c5b-9a8f-4b62-8d04-c6e5f4a3b210'
const resumed = encodeURIComponent(JSON.stringify({ stream_id: streamId }))
const talk = JSON.stringify({ 0: { messages: [{ role: 'user', content: 'hello' }] } })

/** Two writers enforce the timeout: the gateway's for subscriptions, and tRPC's for all other streams. */
const streams = [
  ['a subscription', 'GET', `chat.resume?input=${resumed}`, { accept: 'text/event-stream' }],
  ['a streaming mutation', 'POST', 'chat.stream?batch=1', { ...json, 'trpc-accept': 'application/jsonl' }],
] as const

/** A server with an endless stream, and a response that is not read yet. */
async function unread(slowReaderMs: number, method: string, path: string, headers: Record<string, string>) {
  const source = { made: 0, ended: Promise.withResolvers<void>() }
  const handler = async () =>
    (async function* () {
      try {
        for (;;) yield { id: `${streamId}:${++source.made}`, role: 'assistant', content: 'x'.repeat(100_000) }
      } finally {
        source.ended.resolve()
      }
    })()
  const server = await serveTrpc(exampleWorld({ 'chat.resume': handler, 'chat.stream': handler }), { slowReaderMs })
  const asked = request(`${server.url}/trpc/${path}`, { method, headers: { ...authorized, ...headers } })
  asked.end(method === 'POST' ? talk : undefined)
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  return { source, response, [Symbol.asyncDispose]: () => server.close() }
}

describe.each(streams)('%s', (_name, ...call) => {
  test('a reader that does not read stops the producer, and receives the reason once it reads', async () => {
    await using stream = await unread(1_000, ...call)
    await stream.source.ended.promise
    expect(stream.source.made).toBeLessThan(500)
    expect(await text(stream.response)).toMatch(/too slow.*DEADLINE_EXCEEDED/)
  })

  test('a reader that does not read the reason either is disconnected', async () => {
    await using stream = await unread(50, ...call)
    await stream.source.ended.promise
    // The buffers between both are full, so a reader notices the end only after them.
    await new Promise((resolve) => setTimeout(resolve, 500))
    await expect(text(stream.response)).rejects.toThrow(/aborted/)
  })
})
