import { afterAll, beforeAll, expect, test } from 'vitest'
import { bounds } from '../../src/contract/shared/limits.ts'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { type Client, refusalOf } from '../clients/client.ts'
import { openRpcSocket } from '../clients/rpc-socket.ts'
import { agentToken } from '../mcp/agent.ts'
import { newAccount, openWorld, protocols, type World } from '../world.ts'

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

test.each(protocols)('sessions with grants leave their owner half of the streams over %s', async (protocol) => {
  const client = world.clients[protocol]
  const ada = await newAccount(client)
  const [one, two] = [await agentToken(client, ada), await agentToken(client, ada)]
  const leaving = new AbortController()
  const watch = (token: string) => client.stream('trading.watchAccount', {}, token, leaving.signal)
  const half = Array.from({ length: bounds.subscriptions / 2 }, (_, index) => watch(index % 2 === 0 ? one : two))
  for (const first of await Promise.all(half.map((stream) => stream.next()))) expect(first.done).toBe(false)
  for (const token of [one, two])
    expect(await refusalOf(watch(token))).toMatchObject({
      code: 'RATE_LIMITED',
      message: 'At most 50 streams of all sessions with a grant can be open at once. Close one first.',
    })
  const own = watch(ada.token)
  expect((await own.next()).done).toBe(false)
  leaving.abort()
  for (const stream of [...half, own]) void stream.return()
})
