import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { serveProviders } from '../../src/sandbox/provider-server/server.ts'
import { exchangeService } from '../../src/sandbox/providers/exchange-service.ts'
import { type Event, output } from '../clients/client.ts'
import { newAccount, openWorld, protocols } from '../world.ts'

const [readers, cuts] = [100, 20]

test('twenty cuts of the exchange lose and repeat nothing for a hundred readers on each protocol', async () => {
  const exchange = exchangeService({ start: Date.now() - 60_000, swaps: async () => [], now: () => Date.now() })
  let connections = 0
  const counted: typeof exchange = {
    ...exchange,
    socket: {
      ...exchange.socket,
      upgrade(request, socket, head, fault) {
        connections += 1
        exchange.socket.upgrade(request, socket, head, fault)
      },
    },
  }
  await using server = await serveProviders([counted], { controlPath: null, failed: () => undefined })
  await using world = await openWorld({ EXCHANGE_URL: `${server.url}/exchange` })
  const asked = { symbol: 'ETHUSDC', streams: ['trade', 'kline'], interval: '1s' }
  const leaving = new AbortController()

  // An account for each protocol, because each may have a limited number of streams.
  const subscribed = await Promise.all(
    protocols.map(async (protocol) => {
      const client = world.clients[protocol]
      const { token } = await newAccount(client)
      const input: { subscription_id: string } = await output(client.call('tools.subscribeExchange', asked, token))
      return (): AsyncIterable<Event> => client.stream('tools.streamExchange', input, token, leaving.signal)
    }),
  )
  async function follow(open: () => AsyncIterable<Event>, events: Event[]): Promise<void> {
    for await (const event of open()) events.push(event)
  }
  const received = subscribed.flatMap((open) =>
    Array.from({ length: readers }, () => ({ open, events: [] as Event[] })),
  )
  const following = received.map(({ open, events }) =>
    follow(open, events).then(
      () => leaving.signal.aborted,
      (thrown: unknown) => leaving.signal.aborted || String(thrown),
    ),
  )
  const hasLive = (from: number) => (one: (typeof received)[number]) =>
    one.events.slice(from).some(({ trade, filled }) => trade !== undefined && !filled)
  await expect.poll(() => received.every(hasLive(0)), { timeout: 240_000 }).toBe(true)
  for (let cut = 0; cut < cuts; cut += 1) {
    const heard = received.map(({ events }) => events.length)
    exchange.socket.disconnectAll()
    // The next cut hits the next connection, which has a reader by then.
    await expect
      .poll(() => received.some((one, index) => hasLive(heard[index] ?? 0)(one)), { timeout: 30_000 })
      .toBe(true)
    await expect.poll(() => connections, { timeout: 30_000 }).toBe(cut + 2)
    await sleep(1_000)
  }
  const answer = await fetch(`${server.url}/exchange/api/v3/aggTrades?symbol=ETHUSDC&limit=1`)
  const [{ a: newest }] = (await answer.json()) as [{ a: number }]
  const last = ({ events }: (typeof received)[number]) => Number(events.findLast(({ trade }) => trade)?.trade?.trade_id)
  await expect.poll(() => received.every((one) => last(one) >= newest), { timeout: 60_000 }).toBe(true)
  leaving.abort()
  expect(await Promise.all(following)).toEqual(received.map(() => true))
  exchange.close()

  const count = { delivered: 0, lost: 0, repeated: 0, filled: 0 }
  for (const { events } of received) {
    count.delivered += events.length
    count.filled += events.filter(({ filled }) => filled).length
    const trades = events.flatMap(({ trade }) => (trade === undefined ? [] : [Number(trade.trade_id)]))
    const candles = events.flatMap(({ kline }) => (kline?.closed ? [Date.parse(kline.opened_at) / 1_000] : []))
    for (const ids of [trades, candles, events.map(({ sequence }) => sequence as number)]) {
      const steps = ids.slice(1).map((id, index) => id - (ids[index] ?? 0))
      count.lost += steps.reduce((sum, step) => sum + Math.max(0, step - 1), 0)
      count.repeated += steps.filter((step) => step < 1).length
    }
  }
  console.log(`${readers} readers on each of ${protocols.length} protocols, ${cuts} cuts: ${JSON.stringify(count)}`)
  expect(count).toMatchObject({ lost: 0, repeated: 0 })
  expect(received.filter(({ events }) => !events.some(({ filled }) => filled))).toEqual([])
  expect(connections).toBe(cuts + 1)
}, 480_000)
