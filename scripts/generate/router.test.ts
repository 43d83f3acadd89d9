import { createTRPCClient, type TRPCLink } from '@trpc/client'
import { observable } from '@trpc/server/observable'
import { expect, expectTypeOf, test } from 'vitest'
import type { AppRouter, ChatStreamEvent, Quote, SessionEntry } from '../../generated/client/index.d.ts'
import type { RouterDependencies } from '../../generated/trpc/procedures.ts'
import { createRouter } from '../../generated/trpc/router.ts'

type Asked = { type: string; path: string; input: unknown }

/** A client that notes what it is asked and answers nothing. */
function silentClient() {
  const asked: Asked[] = []
  const link: TRPCLink<AppRouter> =
    () =>
    ({ op: { type, path, input } }) =>
      observable((observer) => {
        asked.push({ type, path, input })
        observer.next({ result: { type: 'data', data: null } })
        observer.complete()
      })
  return { client: createTRPCClient<AppRouter>({ links: [link] }), asked }
}

test('a typed client calls each operation by its id', async () => {
  const { client, asked } = silentClient()
  await client.auth.listSessions.query()
  await client.chain.call.query({ transaction: { to: '0x' } })
  await client.chat.stream.mutate({ messages: [{ role: 'user', content: 'hello' }] })
  client.chat.resume.subscribe({ stream_id: 's' }, {})
  expect(asked).toEqual([
    { type: 'query', path: 'auth.listSessions', input: undefined },
    { type: 'query', path: 'chain.call', input: { transaction: { to: '0x' } } },
    { type: 'mutation', path: 'chat.stream', input: { messages: [{ role: 'user', content: 'hello' }] } },
    { type: 'subscription', path: 'chat.resume', input: { stream_id: 's' } },
  ])
})

test('inputs and outputs have their types', () => {
  const { client } = silentClient()
  expectTypeOf(client.trading.quote.mutate).returns.resolves.toExtend<Quote>()
  expectTypeOf(client.auth.listSessions.query).returns.resolves.toExtend<SessionEntry[]>()
  expectTypeOf(client.chat.stream.mutate).returns.resolves.toExtend<AsyncIterable<ChatStreamEvent>>()
  // @ts-expect-error: role is a closed set
  const wrong: Parameters<typeof client.chat.send.mutate>[0] = { messages: [{ role: 'nobody', content: '' }] }
  expect(wrong).toBeDefined()
  const read = () => client.chat.resume.subscribe({ stream_id: 's' })
  expectTypeOf(read).returns.toExtend<AsyncIterable<{ id: string; data: ChatStreamEvent }>>()
})

type Context = { caller: string }

function router(asked: unknown[][]) {
  const dependencies: RouterDependencies<Context> = {
    async call(id, input, context) {
      asked.push([id, input, context])
      return { called: id }
    },
    async open(id, input, context) {
      asked.push([id, input, context])
      return (async function* () {
        yield { id: 's:1', content: 'one' }
        yield { content: 'without an id' }
      })()
    },
  }
  return createRouter(dependencies)
}

test('every procedure goes through the two functions', async () => {
  const asked: unknown[][] = []
  const caller = router(asked).createCaller({ caller: 'me' })
  expect(await caller.chain.getBalance({ address: '0x' })).toEqual({ called: 'chain.getBalance' })
  await caller.auth.listSessions()
  expect(asked).toEqual([
    ['chain.getBalance', { address: '0x' }, { caller: 'me' }],
    ['auth.listSessions', {}, { caller: 'me' }],
  ])
})

test('a stream that reads has event ids, and resumes after the last one', async () => {
  const asked: unknown[][] = []
  const caller = router(asked).createCaller({ caller: 'me' })
  const input = { stream_id: 's', lastEventId: 's:0' }
  const events: unknown[] = []
  for await (const event of await caller.chat.resume(input)) events.push(event)
  expect(events).toEqual([['s:1', { id: 's:1', content: 'one' }, expect.anything()], { content: 'without an id' }])
  expect(asked[0]).toEqual(['chat.resume', { stream_id: 's', after_id: 's:0' }, { caller: 'me' }])
})

test('a stream by POST is a plain generator', async () => {
  const caller = router([]).createCaller({ caller: 'me' })
  const events: unknown[] = []
  for await (const event of await caller.chat.stream({ messages: [] })) events.push(event)
  expect(events).toEqual([{ id: 's:1', content: 'one' }, { content: 'without an id' }])
})
