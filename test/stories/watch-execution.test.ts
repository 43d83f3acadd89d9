import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Event, eventsOf, output, type Protocol, refusalOf } from '../clients/client.ts'
import { sseEvents } from '../clients/sse.ts'
import { type Account, fundedAccount, protocols, sharedWorld, type World } from '../world.ts'

const moves = ['requested', 'simulated', 'reserved', 'signed', 'broadcast', 'included', 'safe', 'finalized']
let world: World
let ada: Account
let id: string
/**
 * The state changes that watchers received live: one watcher for each protocol, and one that moves from each to the
 * next.
 */
let live: Record<Protocol | 'wanderer', Event[]>

beforeAll(async () => {
  world = await sharedWorld()
  ada = await fundedAccount(world.clients.rest)
  const trade = output(
    world.clients.rest.call('trading.execute', ada.trade('WETH', 'USDC', '0.1', 'watched'), ada.token),
  )
  id = await begun()
  const [rest, trpc, grpc, wanderer] = await Promise.all([
    ...protocols.map((protocol) => eventsOf(watch(protocol))),
    wander(),
  ])
  live = { rest: rest!, trpc: trpc!, grpc: grpc!, wanderer: wanderer! }
  expect(await trade).toMatchObject({ status: 'success', execution_id: id })
})
afterAll(async () => await world[Symbol.asyncDispose]())

/** The id of the trade as soon as it exists. */
async function begun(): Promise<string> {
  for (const deadline = Date.now() + 120_000; Date.now() < deadline; ) {
    const { items } = await output(world.clients.rest.call('trading.listExecutions', { limit: 1 }, ada.token))
    if (items.length > 0) return items[0].execution_id
  }
  throw new Error('The trade never began.')
}

function watch(protocol: Protocol, lastEventId?: string) {
  const cursor = lastEventId === undefined ? {} : { last_event_id: lastEventId }
  const input = { execution_id: id, until: 'finalized', ...cursor }
  return world.clients[protocol].stream('trading.watchExecution', input, ada.token)
}

/** Disconnects after each event, and resumes on the next protocol. */
async function wander(): Promise<Event[]> {
  const seen: Event[] = []
  while (seen.at(-1)?.state !== 'finalized') {
    const { value } = await firstOf(watch(protocols[seen.length % protocols.length]!, seen.at(-1)?.id))
    if (value === undefined) throw new Error('The stream ended before the trade was final.')
    seen.push(value)
  }
  return seen
}

async function firstOf(events: AsyncGenerator<Event, void, undefined>) {
  try {
    return await events.next()
  } finally {
    await events.return()
  }
}

/** The fields of an event that never change, however late it is read. */
const seen = (events: Event[]) =>
  events.map(({ id, state, status, tx_hash, message, fill }) => ({ id, state, status, tx_hash, message, fill }))

test('each state of a trade is reported once and in order up to the final block, alike on every protocol', () => {
  for (const events of Object.values(live)) {
    expect(events.map(({ state }) => state)).toEqual(moves)
    expect(events.map((event) => event.id)).toEqual(moves.map((_, index) => `${id}:${index + 1}`))
    expect(seen(events)).toEqual(seen(live.rest))
  }
})

test.each(protocols)('from every cursor %s returns exactly the states that follow', async (protocol) => {
  const cursors = live.rest.map((event) => event.id as string)
  for (const [index, cursor] of cursors.entries())
    expect(seen(await eventsOf(watch(protocol, cursor)))).toEqual(seen(live.rest.slice(index + 1)))
})

test.each(protocols)(
  'over %s a cursor that is not an event of the trade is refused with the name of the field',
  async (protocol) => {
    const beyond = moves.length + 1
    for (const cursor of [
      'foo:1',
      id,
      `${id}:`,
      `${id}:0`,
      `${id}:01`,
      `${id}:${beyond}`,
      `${crypto.randomUUID()}:1`,
    ]) {
      expect(await refusalOf(watch(protocol, cursor)), cursor).toMatchObject({
        code: 'INVALID_ARGUMENT',
        violations: [{ path: 'last_event_id' }],
      })
    }
  },
)

test.each(protocols)(
  'a stream ends with the same event for every reader over %s, wherever it was cut',
  async (protocol) => {
    for (const [until, last] of [
      ['included', 6],
      ['safe', 7],
      ['finalized', 8],
    ] as const) {
      const read = (cursor = {}) =>
        eventsOf(
          world.clients[protocol].stream('trading.watchExecution', { execution_id: id, until, ...cursor }, ada.token),
        )
      const whole = live.grpc.slice(0, last)
      expect((await read()).map((event) => event.id)).toEqual(whole.map((event) => event.id))
      for (const [index, { id: last_event_id }] of whole.entries())
        expect((await read({ last_event_id })).map((event) => event.id)).toEqual(
          whole.slice(index + 1).map((event) => event.id),
        )
      // The trade has gone on since; a reader that has more than the stream has misses nothing.
      if (until !== 'finalized') expect(await read({ last_event_id: live.grpc[last].id })).toEqual([])
    }
  },
)

test('Last-Event-ID goes on from a cursor of another protocol, and wins over the one in the URL', async () => {
  for (const [index, { id: cursor }] of live.grpc.entries()) {
    const query = `until=finalized&last_event_id=${encodeURIComponent(live.grpc[0].id)}`
    const response = await fetch(`${world.urls.http}/api/v1/multi-agent/executions/${id}/watch?${query}`, {
      headers: { authorization: `Bearer ${ada.token}`, 'last-event-id': cursor },
    })
    if (index === live.grpc.length - 1) {
      // The last event was received: an EventSource that hears 204 does not reconnect.
      expect([response.status, await response.text()]).toEqual([204, ''])
      continue
    }
    expect(response.status).toBe(200)
    const events = await Array.fromAsync(sseEvents(response.body!))
    expect(events.pop()).toEqual({ data: '[DONE]' })
    expect(events.map(({ id }) => id)).toEqual(events.map(({ data }) => JSON.parse(data).id))
    const read = events.map(({ data }) => JSON.parse(data))
    expect(read.map((event) => event.id)).toEqual(live.grpc.slice(index + 1).map((event) => event.id))
    expect(read.map((event) => event.state)).toEqual(moves.slice(index + 1))
  }
})
