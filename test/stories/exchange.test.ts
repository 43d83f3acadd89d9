import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ProviderServer, serveProviders } from '../../src/sandbox/provider-server/server.ts'
import { exchangeService } from '../../src/sandbox/providers/exchange-service.ts'
import { type Client, type Event, output } from '../clients/client.ts'
import { drawn } from '../sized.ts'
import { type Account, newAccount, openWorld, protocols, type World } from '../world.ts'

/** A separate exchange, so that its connections can be cut. */
const exchange = exchangeService({
  start: Date.now() - 12 * 3_600_000,
  swaps: async () => [],
  now: () => Date.now(),
})
let server: ProviderServer
let world: World
let account: Account
beforeAll(async () => {
  server = await serveProviders([exchange], { controlPath: null, failed: () => undefined })
  world = await openWorld({ EXCHANGE_URL: `${server.url}/exchange` })
  account = await newAccount(world.clients.rest)
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  exchange.close()
  await server[Symbol.asyncDispose]()
})

const subscribe = async (input: object, client: Client = world.clients.rest): Promise<string> =>
  (
    await output(
      client.call('tools.subscribeExchange', { symbol: 'ETHUSDC', streams: ['trade'], ...input }, account.token),
    )
  ).subscription_id

type Enough = (events: Event[]) => boolean

/** Reads so many events of a subscription, after the previous ones. */
async function read(
  client: Client,
  input: object,
  count: number | Enough,
  between: (seen: number) => void = () => undefined,
) {
  const leaving = new AbortController()
  const events: Event[] = []
  for await (const event of client.stream('tools.streamExchange', input, account.token, leaving.signal)) {
    events.push(event)
    between(events.length)
    if (typeof count === 'number' ? events.length >= count : count(events)) break
  }
  leaving.abort()
  return events
}

/** Waits until the connection has recovered, so that a reader's first event is from the market. */
beforeEach(async () => {
  const subscription_id = await subscribe({})
  await read(world.clients.rest, { subscription_id }, (events) => trades(events).length > 0)
  await world.clients.rest.call('tools.unsubscribeExchange', { subscription_id }, account.token)
})

const numbers = (events: Event[]) => events.map(({ sequence }) => sequence)
const trades = (events: Event[]) => events.flatMap(({ trade }) => (trade === undefined ? [] : [Number(trade.trade_id)]))
const upFrom = (first: number, length: number) => Array.from({ length }, (_, index) => first + index)

/** What depends on the exchange and not on the protocol: over one that is drawn, and over each in the long run. */
const some = drawn(protocols, 1)

describe.each(protocols)('over %s', (protocol) => {
  test('trades come without a gap, and go on after the last one that was seen', async () => {
    const client = world.clients[protocol]
    const subscription_id = await subscribe({}, client)
    const first = await read(client, { subscription_id }, 3)
    expect(numbers(first)).toEqual([1, 2, 3])
    expect(first[0]).toMatchObject({
      stream: 'trade',
      symbol: 'ETHUSDC',
      filled: false,
      source: 'exchange (127.0.0.1)',
    })
    const then = await read(client, { subscription_id, last_event_id: first[0]!.id }, 6)
    expect(numbers(then)).toEqual(upFrom(2, 6))
    expect(trades(then)).toEqual(upFrom(trades(first)[1]!, 6))
    expect(then[0]).toMatchObject({ ...first[1], filled: true })
  })

  test.runIf(some.includes(protocol))('cuts of the exchange lose and repeat nothing', async () => {
    const client = world.clients[protocol]
    const subscription_id = await subscribe({ symbol: 'BTCUSDC', streams: ['trade', 'kline'], interval: '1s' }, client)
    // A reader that resumes before the next trade has missed nothing.
    const enough: Enough = (seen) => seen.length >= 30 && seen.some(({ filled }) => filled)
    const events = await read(client, { subscription_id }, enough, (seen) => {
      if (seen % 10 === 0) exchange.socket.disconnectAll()
    })
    expect(numbers(events)).toEqual(upFrom(1, events.length))
    expect(trades(events)).toEqual(upFrom(trades(events)[0]!, trades(events).length))
    const closed = events.filter(({ kline }) => kline?.closed).map(({ kline }) => Date.parse(kline.opened_at))
    expect(closed).toEqual(closed.map((_, index) => closed[0]! + 1_000 * index))
  })

  test("a market that is not there, a stranger's subscription and an id of another are refused", async () => {
    const client = world.clients[protocol]
    const wrong = await client.call('tools.subscribeExchange', { symbol: 'DOGEUSD', streams: ['trade'] }, account.token)
    expect(wrong).toMatchObject({ code: 'NOT_FOUND', message: expect.stringContaining('ETHUSDC, BTCUSDC, ETHBTC') })
    const subscription_id = await subscribe({}, client)
    const { token } = await newAccount(world.clients.rest)
    for (const id of ['tools.unsubscribeExchange'] as const)
      expect(await client.call(id, { subscription_id }, token)).toMatchObject({ code: 'NOT_FOUND' })
    const strange = { subscription_id, last_event_id: `${crypto.randomUUID()}:1:2:-` }
    await expect(read(client, strange, 1)).rejects.toMatchObject({ refusal: { code: 'INVALID_ARGUMENT' } })
  })

  test('unsubscribing ends the stream that reads it', async () => {
    const client = world.clients[protocol]
    const subscription_id = await subscribe({ streams: ['kline'], interval: '1s' }, client)
    let ended: unknown = null
    const events = await read(client, { subscription_id }, 1_000, () => {
      ended ??= client.call('tools.unsubscribeExchange', { subscription_id }, account.token)
    })
    expect(await ended).toMatchObject({ output: { subscription_id, status: 'unsubscribed' } })
    expect(events.length).toBeGreaterThan(0)
    await expect(read(client, { subscription_id }, 1)).rejects.toMatchObject({ refusal: { code: 'NOT_FOUND' } })
  })
})

test('an account has at most 20 subscriptions, also when it requests more at once', async () => {
  const { token } = await newAccount(world.clients.rest)
  const asked = Array.from({ length: 30 }, (_, index) =>
    world.clients[protocols[index % 3]!].call(
      'tools.subscribeExchange',
      { symbol: 'ETHBTC', streams: ['trade'] },
      token,
    ),
  )
  const answers = await Promise.all(asked)
  expect(answers.filter(({ ok }) => ok)).toHaveLength(20)
  for (const refusal of answers.filter(({ ok }) => !ok))
    expect(refusal).toMatchObject({ code: 'FAILED_PRECONDITION', message: expect.stringContaining('20') })
})

test.each(protocols)('a reader 20,000 trades behind learns at once how to continue over %s', async (protocol) => {
  const client = world.clients[protocol]
  const subscription_id = await subscribe({}, client)
  const [event] = await read(client, { subscription_id }, 1)
  const trade = Number(event.trade.trade_id)
  const from = (behind: number) => ({
    subscription_id,
    last_event_id: event.id.replace(/:1:\d+:/, `:1:${trade - behind}:`),
  })
  const reported: Event[] = []
  const late = read(client, from(20_500), (events) => reported.push(events) < 0)
  await expect(late).rejects.toMatchObject({
    refusal: { code: 'FAILED_PRECONDITION', message: expect.stringContaining('without last_event_id') },
  })
  expect(reported).toEqual([])
  const near = await read(client, from(200), 200)
  expect(trades(near)).toEqual(upFrom(trade - 199, 200))
  expect(near.every(({ filled }) => filled)).toBe(true)
})

test('what takes several questions to fill in comes in order', async () => {
  const subscription_id = await subscribe({})
  const [event] = await read(world.clients.rest, { subscription_id }, 1)
  const trade = Number(event.trade.trade_id)
  const last_event_id = event.id.replace(/:1:\d+:/, `:1:${trade - 2_500}:`)
  const reported = await read(world.clients.rest, { subscription_id, last_event_id }, 2_500)
  expect(trades(reported)).toEqual(upFrom(trade - 2_499, 2_500))
})

test.each(some)('while the exchange is away the stream says so, over %s', async (protocol) => {
  const client = world.clients[protocol]
  const subscription_id = await subscribe({}, client)
  const states = (events: Event[]) => events.flatMap(({ status }) => (status === undefined ? [] : [status.state]))
  const events = await read(
    client,
    { subscription_id },
    (seen) => states(seen).includes('resumed'),
    (seen) => {
      if (seen === 2) exchange.socket.disconnectAll()
    },
  )
  expect(states(events)).toEqual(['interrupted', 'resumed'])
  expect(numbers(events)).toEqual(upFrom(1, events.length))
  expect(trades(events)).toEqual(upFrom(trades(events)[0]!, trades(events).length))
  const { status, ...rest } = events.at(-1)!
  expect(status.message).toContain('received again')
  expect(rest).toMatchObject({ stream: 'status', symbol: 'ETHUSDC' })
  // The stream resumes after a status event as after any other.
  const [next] = await read(client, { subscription_id, last_event_id: rest.id }, 1)
  expect(next).toMatchObject({ sequence: rest.sequence + 1, trade: { trade_id: String(trades(events).at(-1)! + 1) } })
})

test.each(some)('the book and the last 24 hours come as they stand over %s', async (protocol) => {
  const client = world.clients[protocol]
  const subscription_id = await subscribe({ symbol: 'ETHBTC', streams: ['depth', 'ticker'] }, client)
  const events = await read(client, { subscription_id }, 6)
  expect(numbers(events)).toEqual(upFrom(1, 6))
  const { depth } = events.find(({ stream }) => stream === 'depth')!
  const { ticker } = events.find(({ stream }) => stream === 'ticker')!
  expect([depth.bids.length, depth.asks.length]).toEqual([20, 20])
  const prices = [...depth.bids.toReversed(), ...depth.asks].map(({ price }) => Number(price))
  expect(prices).toEqual(prices.toSorted((left, right) => left - right))
  expect(Number(ticker.bid.price)).toBeLessThan(Number(ticker.ask.price))
  expect(Number(ticker.high_price)).toBeGreaterThanOrEqual(Number(ticker.last_price))
  expect(ticker.price_change_percent).toMatch(/^-?\d+\.\d+$/)
})
