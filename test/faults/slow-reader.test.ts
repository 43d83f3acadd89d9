import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { grpcMethods } from '../../generated/grpc/services.ts'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { openRpcSocket } from '../clients/rpc-socket.ts'
import { startPublic } from '../drivers/public-gateway.ts'
import { type Unread, unreadGrpc, unreadSse, watchMemory } from '../drivers/slow-readers.ts'
import { type SubscriberProtocol, subscribeAll } from '../drivers/subscribers.ts'
import { tallyOf, truthOf } from '../drivers/tally.ts'
import { apiKey, type Urls } from '../gateway-process.ts'
import { figures } from './figures.ts'

const slowEach = 5
const readersEach = 5
const logBytes = 131_072
const blocks = 120
/** Slightly more than the timeout of a slow reader. */
const slowReaderMs = 33_000

type Slow = Unread & { protocol: SubscriberProtocol }

test('a subscriber that does not read is disconnected with a reason, the others receive everything, and memory stays bounded', async () => {
  await using world = await startPublic()
  const { gateway, anvil, log } = world
  const next = async () => {
    await log(logBytes)
    await anvil.mine()
  }
  await using readers = await subscribeAll(gateway.urls, readersEach)
  await until(
    async () => {
      await next()
      return readers.all.every(({ heads, logs }) => heads.length > 0 && logs.length > 0)
    },
    'all readers',
    20_000,
  )
  const first = Number(await anvil.call('eth_blockNumber')) + 1
  await using stack = new AsyncDisposableStack()
  const slow = await slowReaders(gateway.urls, stack)
  await sleep(500)
  const memory = watchMemory(gateway)
  for (let count = 1; count <= blocks; count += 1) {
    await next()
    // The normal readers get time to read: they share a processor with everything else.
    const received = () => readers.all.every(({ logs }) => Number(logs.at(-1)?.blockNumber) >= first + count - 1)
    if (count % 5 === 0) await until(received, 'every reader', 20_000).catch(() => undefined)
  }
  const truth = await truthOf(anvil.call, first)
  const tally = () => tallyOf(readers.all, truth)
  const whileSlow = memory.peak()
  // A socket is closed when too many bytes wait for it, a stream when it reads nothing for too long.
  const reasonsOf = async (some: Slow[]) =>
    await Promise.all(
      some.map(async (one) => [one.protocol, await Promise.race([one.readAll(), never(15_000)])] as const),
    )
  const reasons = await reasonsOf(slow.filter(({ protocol }) => protocol === 'ws'))
  await sleep(slowReaderMs)
  reasons.push(...(await reasonsOf(slow.filter(({ protocol }) => protocol !== 'ws'))))
  const { base, peak, last } = memory.stop()
  figures('slow readers', {
    slow: slow.length,
    let_go: reasons.filter(([, reason]) => /slow/.test(reason)).length,
    readers: readers.all.length,
    unread_mb_each: Math.round((blocks * logBytes * 2) / 2 ** 20),
    ...tally(),
    memory_mb_before: base,
    while_slow: whileSlow,
    peak,
    after: last,
  })
  expect(tally()).toMatchObject({ missed: 0, doubled: 0, wrong: 0, ended: 0 })
  for (const [protocol, reason] of reasons)
    expect([protocol, reason]).toEqual([protocol, expect.stringMatching(/slow/)])
  expect(peak - base).toBeLessThan(600)
}, 180_000)

async function never(milliseconds: number): Promise<string> {
  await sleep(milliseconds)
  return 'it was not let go'
}

async function slowReaders(urls: Urls, stack: AsyncDisposableStack): Promise<Slow[]> {
  const { path, encodeRequest } = grpcMethods['chain.subscribe']
  const message = encodeRequest({ type: 'logs' })
  const address = `${urls.http}/trpc/chain.subscribe?input=${encodeURIComponent(JSON.stringify({ type: 'logs' }))}`
  const opened: Promise<Slow>[] = []
  for (let count = 0; count < slowEach; count += 1)
    opened.push(
      overWebSocket(urls.rpc, stack),
      unreadGrpc(urls.grpc, { path, message }, stack).then((unread) => ({ ...unread, protocol: 'grpc' })),
      unreadSse(address, {}, stack).then((unread) => ({ ...unread, protocol: 'trpc' })),
    )
  return await Promise.all(opened)
}

async function overWebSocket(url: string, stack: AsyncDisposableStack): Promise<Slow> {
  const rpc = await openRpcSocket(url, { headers: { 'x-api-key': apiKey } })
  stack.defer(() => rpc.socket.terminate())
  await rpc.ask('eth_subscribe', ['logs'])
  rpc.socket.pause()
  return {
    protocol: 'ws',
    async readAll() {
      rpc.socket.resume()
      const { code, reason } = await rpc.closed
      return `${code} ${reason}`
    },
  }
}
