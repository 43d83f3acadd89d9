import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { serveTrpc } from '../../../test/protocols/trpc-world.ts'
import { authorized, exampleWorld } from '../../../test/protocols/world.ts'

const streamId = '1e7d3c5b-9a8f-4b62-8d04-c6e5f4a3b210'

/** A server whose stream has events without end, and a response to it that nobody reads yet. */
async function unread(slowReaderMs: number) {
  const source = { made: 0, ended: Promise.withResolvers<void>() }
  const world = exampleWorld({
    'chat.resume': async () =>
      (async function* () {
        try {
          for (;;) yield { id: `${streamId}:${++source.made}`, role: 'assistant', content: 'x'.repeat(100_000) }
        } finally {
          source.ended.resolve()
        }
      })(),
  })
  const server = await serveTrpc(world, { slowReaderMs })
  const input = encodeURIComponent(JSON.stringify({ stream_id: streamId }))
  const headers = { ...authorized, accept: 'text/event-stream' }
  const request = get(`${server.url}/trpc/chat.resume?input=${input}`, { headers })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return { source, response, [Symbol.asyncDispose]: () => server.close() }
}

test('a reader that takes nothing stops the producer, and is told why once it reads', async () => {
  await using stream = await unread(1_000)
  await stream.source.ended.promise
  expect(stream.source.made).toBeLessThan(500)
  expect(await text(stream.response)).toMatch(/event: serialized-error\ndata: .*too slow.*DEADLINE_EXCEEDED/)
})

test('a reader that does not even take the reason is cut', async () => {
  await using stream = await unread(50)
  await stream.source.ended.promise
  // What is on its way fills the buffers between the two, so that the cut shows to who reads after it.
  await new Promise((resolve) => setTimeout(resolve, 500))
  await expect(text(stream.response)).rejects.toThrow(/aborted/)
})
