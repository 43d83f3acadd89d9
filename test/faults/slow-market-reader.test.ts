import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { grpcMethods } from '../../generated/grpc/services.ts'
import { serveProviders } from '../../src/sandbox/provider-server/server.ts'
import { exchangeService } from '../../src/sandbox/providers/exchange-service.ts'
import { type Event, output, type Protocol } from '../clients/client.ts'
import { openClients } from '../clients/clients.ts'
import { beginning } from '../contract/live-values.ts'
import { type Unread, unreadGrpc, unreadSse, watchMemory } from '../drivers/slow-readers.ts'
import { startGateway } from '../gateway-process.ts'
import { newAccount, protocols } from '../world.ts'
import { figures } from './figures.ts'

const slowEach = 3
/** The exchange's clock runs this much faster, so that there are more trades. */
const haste = 150
/** Long enough to fill all buffers on the way, plus the timeout of a slow reader. */
const unreadMs = 60_000
/** The request of the slow readers. */
const behind = 15_000

test('a market reader that does not read is disconnected, and the others receive everything', async () => {
  const begun = Date.now()
  const now = () => begun + (Date.now() - begun) * haste
  const exchange = exchangeService({
    start: begun - 3 * 3_600_000,
    swaps: async () => [],
    now,
    connectionMs: 86_400_000,
  })
  await using stack = new AsyncDisposableStack()
  stack.defer(() => exchange.close())
  const server = stack.use(await serveProviders([exchange], { controlPath: null, failed: () => undefined }))
  const gateway = stack.use(await startGateway(null, { EXCHANGE_URL: `${server.url}/exchange` }))
  const { http, grpc } = gateway.urls
  const clients = stack.use(openClients(gateway.urls))
  const { token } = await newAccount(clients.rest)
  const asked = { symbol: 'ETHUSDC', streams: ['trade'] }
  const { subscription_id } = await output(clients.rest.call('tools.subscribeExchange', asked, token))
  const authorization = { authorization: `Bearer ${token}` }

  const leaving = new AbortController()
  const [first] = await beginning(clients.rest, 'tools.streamExchange', { subscription_id }, token)
  const trade = Number((first as Event).trade.trade_id)
  const early = { subscription_id, last_event_id: `${subscription_id}:1:${trade - behind}:-` }
  const received: Record<Protocol, number[]> = { rest: [], trpc: [], grpc: [] }
  const failed: unknown[] = []
  const follow = async (protocol: Protocol) => {
    const events = clients[protocol].stream('tools.streamExchange', { subscription_id }, token, leaving.signal)
    for await (const event of events as AsyncIterable<Event>) received[protocol].push(event.sequence)
  }
  const following = protocols.map((protocol) => follow(protocol).catch((error) => failed.push(error)))
  await expect.poll(() => protocols.every((protocol) => received[protocol].length > 0), { timeout: 30_000 }).toBe(true)

  const { path, encodeRequest } = grpcMethods['tools.streamExchange']
  const message = encodeRequest(early)
  const input = encodeURIComponent(JSON.stringify(early))
  const openers: Record<Protocol, () => Promise<Unread>> = {
    rest: () =>
      unreadSse(
        `${http}/api/v1/multi-agent/exchange/stream/${subscription_id}`,
        { ...authorization, 'last-event-id': early.last_event_id },
        stack,
      ),
    trpc: () => unreadSse(`${http}/trpc/tools.streamExchange?input=${input}`, authorization, stack),
    grpc: () => unreadGrpc(grpc, { path, message, headers: authorization }, stack),
  }
  const slow = await Promise.all(
    protocols.flatMap((protocol) =>
      Array.from({ length: slowEach }, async () => [protocol, await openers[protocol]()] as const),
    ),
  )
  const memory = watchMemory(gateway)
  await sleep(unreadMs)
  const { base, peak } = memory.stop()
  expect(failed).toEqual([])
  leaving.abort()
  await Promise.all(following)
  const reasons = await Promise.all(slow.map(async ([protocol, unread]) => [protocol, await unread.readAll()] as const))
  figures('slow readers of a market', {
    slow: slow.length,
    let_go: reasons.filter(([, reason]) => /slow|aborted/.test(reason)).length,
    received: protocols.map((protocol) => received[protocol].length),
    memory_mb_before: base,
    peak,
  })
  for (const protocol of protocols) expect(received[protocol]).toEqual(received[protocol].map((_, index) => index + 1))
  // A REST reader whose buffers are full cannot receive the reason: its connection is closed.
  for (const [protocol, reason] of reasons)
    expect([protocol, reason]).toEqual([protocol, expect.stringMatching(protocol === 'rest' ? /slow|aborted/ : /slow/)])
  expect(peak - base).toBeLessThan(400)
}, 180_000)
