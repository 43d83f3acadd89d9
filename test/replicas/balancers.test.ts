import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { type Client, type Event, type Outcome, output, type Refusal } from '../clients/client.ts'
import { grpcClient } from '../clients/grpc.ts'
import { restClient } from '../clients/rest.ts'
import { rpc } from '../clients/rpc-call.ts'
import { openRpcSocket } from '../clients/rpc-socket.ts'
import { type Gateway, startGateway } from '../gateway-process.ts'
import { shared } from '../shared.ts'
import { richAccount, settingsOf, startPublicChain } from '../trading/public-world.ts'
import type { Account } from '../world.ts'
import { balancerProgram, freePortsOf, type Ports, startBalancer } from './balancer.ts'

/** Longest that a process may take from SIGTERM to its end. */
const mostExitMs = 15_000

/** Repeats something until `over` aborts; returns how often it went well, and what went wrong. Nothing is tried again. */
async function load(pauseMs: number, over: AbortSignal, once: (count: number) => Promise<unknown>) {
  const failures: string[] = []
  let good = 0
  for (let count = 0; !over.aborted; count += 1) {
    await once(count).then(
      () => (good += 1),
      (failure: unknown) => failures.push(`${new Date().toISOString()} ${failure}`),
    )
    await sleep(pauseMs)
  }
  return { good, failures }
}

/** Reads the stream of an account until `over` aborts, and resumes it wherever a process ends it. */
async function readAccount(client: Client, token: string, over: AbortSignal) {
  const seen: Event[] = []
  const ends: Refusal[] = []
  while (!over.aborted) {
    const last = seen.at(-1)?.id
    const input = last === undefined ? { from: 'now' } : { last_event_id: last }
    try {
      for await (const event of client.stream('trading.watchAccount', input, token, over)) seen.push(event)
    } catch (failure) {
      if (over.aborted) break
      const { refusal } = failure as { refusal?: Refusal }
      if (refusal === undefined) throw failure
      ends.push(refusal)
    }
  }
  return { seen, ends }
}

/** Reads heads over a WebSocket until `over` aborts, and connects again wherever a process closes it. */
async function readHeads(url: string, over: AbortSignal) {
  const codes: number[] = []
  let heads = 0
  while (!over.aborted) {
    const { ask, socket, closed } = await openRpcSocket(url)
    await ask('eth_subscribe', ['newHeads'])
    socket.on('message', () => (heads += 1))
    const leave = () => socket.close()
    over.addEventListener('abort', leave, { once: true })
    const { code } = await closed
    if (!over.aborted) codes.push(code)
  }
  return { heads, codes }
}

/** A gateway on ports of its own; `restart` stops it by SIGTERM and starts it again there, and returns how long its exit took. */
async function startReplica(dir: string, settings: Record<string, string>, ports: Ports) {
  const own = { ...settings, HTTP_PORT: `${ports.http}`, GRPC_PORT: `${ports.grpc}`, RPC_PORT: `${ports.rpc}` }
  let gateway: Gateway = await startGateway(dir, own)
  return {
    async restart(): Promise<number> {
      const begun = performance.now()
      expect(await gateway.stop()).toBe(0)
      const exitMs = performance.now() - begun
      gateway = await startGateway(dir, own)
      return exitMs
    },
    [Symbol.asyncDispose]: async () => await gateway.kill(),
  }
}

/** All loads of a test. */
function loadsOf({ http, grpc, rpc: node }: Ports, ada: Account, over: AbortSignal) {
  const [rest, channel] = [restClient(`http://127.0.0.1:${http}`), grpcClient(`127.0.0.1:${grpc}`)]
  const good = async (asked: Promise<Outcome>) => await output(asked)
  const traded = async (client: Client, key: string) => {
    const made = await good(client.call('trading.execute', ada.trade('WETH', 'USDC', '0.001', key), ada.token))
    if (made.status !== 'success' && made.status !== 'pending') throw new Error(`${made.status}: ${made.message}`)
    if (made.replayed) throw new Error(`${key} was sent twice.`)
  }
  return {
    rest: load(20, over, async () => await good(rest.call('auth.whoAmI', {}, ada.token))),
    grpc: load(20, over, async () => await good(channel.call('auth.whoAmI', {}, ada.token))),
    fresh: load(50, over, async () => {
      const own = grpcClient(`127.0.0.1:${grpc}`)
      await good(own.call('auth.whoAmI', {}, ada.token)).finally(() => own.close())
    }),
    node: load(20, over, async () => {
      const { error } = await rpc(`http://127.0.0.1:${node}`, 'eth_blockNumber')
      if (error !== undefined) throw new Error(error.message)
    }),
    restTrades: load(1_000, over, async (count) => await traded(rest, `rest-${count}`)),
    grpcTrades: load(1_000, over, async (count) => await traded(channel, `grpc-${count}`)),
    sse: readAccount(rest, ada.token, over),
    stream: readAccount(channel, ada.token, over),
    heads: readHeads(`http://127.0.0.1:${node}`, over),
  }
}

test.each(['haproxy', 'nginx'] as const)(
  'behind %s two gateways are restarted one after the other, and no request fails',
  async (kind) => {
    if (balancerProgram(kind) === null) return console.log(`SKIPPED, this machine does not have it: ${kind}`)
    await using opened = new AsyncDisposableStack()
    const chain = await startPublicChain()
    opened.defer(() => chain.close())
    // The drain that a gateway on PostgreSQL has by itself. Both have the folder of the chain, and so the same keys.
    const more = { DATABASE_URL: await shared('database'), DRAIN_SECONDS: '' }
    const settings = settingsOf(chain, more)
    const ports = [await freePortsOf(), await freePortsOf()]
    const replicas = []
    for (const own of ports) replicas.push(opened.use(await startReplica(chain.dir, settings, own)))
    const balancer = opened.use(await startBalancer(kind, ports))
    const entry = restClient(`http://127.0.0.1:${balancer.ports.http}`)
    await until(
      async () => await fetch(`http://127.0.0.1:${balancer.ports.http}/health/ready`).then(({ ok }) => ok),
      kind,
    )
    const ada = await richAccount(entry, chain)
    const over = new AbortController()
    const loads = loadsOf(balancer.ports, ada, over.signal)
    await sleep(3_000)
    const exits: number[] = []
    for (const replica of replicas) {
      exits.push(await replica.restart())
      // Balancers take a gateway back after two checks.
      await sleep(3_000)
    }
    over.abort()
    const { sse, stream, heads, ...requests } = Object.fromEntries(
      await Promise.all(Object.entries(loads).map(async ([name, running]) => [name, await running])),
    )
    console.log(kind, exits.map(Math.round), JSON.stringify(requests), heads, sse.ends.length, stream.ends.length)
    for (const [name, { good, failures }] of Object.entries<{ good: number; failures: string[] }>(requests)) {
      expect([name, failures]).toEqual([name, []])
      expect(good).toBeGreaterThan(5)
    }
    for (const exitMs of exits) expect(exitMs).toBeLessThan(mostExitMs)
    expect(heads.heads).toBeGreaterThan(5)
    expect(new Set(heads.codes)).toEqual(new Set([1001]))
    for (const { seen, ends } of [sse, stream]) {
      expect(ends.length).toBeGreaterThan(0)
      for (const end of ends) expect(end.code).toBe('UNAVAILABLE')
      await expectWhole(entry, ada.token, seen)
    }
  },
)

/** What was read through all restarts is what the account's stream has, without a gap and nothing twice. */
async function expectWhole(client: Client, token: string, seen: readonly Event[]): Promise<void> {
  const ids = seen.map(({ id }) => id)
  const read: string[] = [ids[0]]
  for await (const { id } of client.stream('trading.watchAccount', { last_event_id: ids[0] }, token)) {
    read.push(id)
    if (id === ids.at(-1)) break
  }
  expect(ids).toEqual(read)
}
