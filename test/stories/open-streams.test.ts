import { afterAll, beforeAll, expect, test } from 'vitest'
import { bounds } from '../../src/contract/shared/limits.ts'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { type Client, refusalOf } from '../clients/client.ts'
import { openRpcSocket } from '../clients/rpc-socket.ts'
import { newAccount, openWorld, type World } from '../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(async () => await world[Symbol.asyncDispose]())

/** Subscribes so many times; resolves once each has received a head. The returned function ends them. */
async function subscribe(client: Client, count: number): Promise<() => void> {
  const leaving = new AbortController()
  const streams = Array.from({ length: count }, () => heads(client, leaving.signal))
  for (const first of await Promise.all(streams.map((stream) => stream.next()))) expect(first.done).toBe(false)
  return () => {
    leaving.abort()
    for (const stream of streams) void stream.return()
  }
}

function heads(client: Client, signal?: AbortSignal) {
  return client.stream('chain.subscribe', { type: 'newHeads' }, undefined, signal)
}

test.each(['grpc', 'trpc'] as const)(
  'a caller may have a hundred subscriptions at a time over %s, and the refusal says so on every protocol',
  async (protocol) => {
    const { grpc, trpc } = world.clients
    const end = await subscribe(world.clients[protocol], bounds.subscriptions)
    for (const [client, status] of [
      [grpc, 8],
      [trpc, 429],
    ] as const) {
      const refusal = await refusalOf(heads(client))
      expect(refusal).toMatchObject({
        code: 'RATE_LIMITED',
        status,
        message: 'At most 100 streams of one caller can be open at once. Close one first.',
        metadata: { limit: '100' },
      })
      expect([refusal.retryAfterSeconds, refusal.headers['retry-after']]).toEqual([undefined, undefined])
    }
    // A socket counts its own subscriptions, and an account counts separately from its address.
    const socket = await openRpcSocket(world.urls.rpc)
    expect(await socket.ask('eth_subscribe', ['newHeads'])).toHaveProperty('result')
    socket.socket.terminate()
    const { token } = await newAccount(grpc)
    const watch = { execution_id: crypto.randomUUID() }
    expect(await refusalOf(grpc.stream('trading.watchExecution', watch, token))).toMatchObject({ code: 'NOT_FOUND' })
    end()
    const opens = async () => {
      const stream = heads(grpc)
      const first = await stream.next().catch(() => null)
      await stream.return()
      return first !== null
    }
    await until(opens, 'a place')
  },
)
