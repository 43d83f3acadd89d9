import { afterAll, beforeAll, expect, test } from 'vitest'
import { serveTrpc } from '../../../test/protocols/trpc-world.ts'
import { authorized, exampleWorld } from '../../../test/protocols/world.ts'
import type { HttpServer } from '../http.ts'

const app = 'https://app.example'
const streamId = '1e7d3c5b-9a8f-4b62-8d04-c6e5f4a3b210'

let server: HttpServer
beforeAll(async () => {
  server = await serveTrpc(exampleWorld(), { cors: { origins: [app, 'https://other.example'] } })
})
afterAll(async () => await server.close())

test.each([
  ['an answer', 'chat.history', authorized],
  ['a refusal', 'chat.history', {}],
  ['a batch', 'chat.history,auth.listSessions?batch=1', authorized],
  ['a subscription', `chat.resume?input=${encodeURIComponent(JSON.stringify({ stream_id: streamId }))}`, authorized],
])('%s for one origin is not served to another origin by a cache', async (_name, path, headers) => {
  const answer = await fetch(`${server.url}/trpc/${path}`, { headers: { ...headers, origin: app } })
  await answer.body?.cancel()
  expect(answer.headers.get('access-control-allow-origin')).toBe(app)
  expect(answer.headers.get('vary')?.split(', ').toSorted()).toEqual(['Origin', 'accept', 'trpc-accept'])
})
