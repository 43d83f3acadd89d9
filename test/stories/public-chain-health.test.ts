import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Client, output } from '../clients/client.ts'
import { type Clients, openClients } from '../clients/clients.ts'
import { type PublicGateway, startPublic } from '../drivers/public-gateway.ts'
import { type Door, openDoor } from '../node/anvil.ts'
import { operatorToken } from '../operator-token.ts'
import { protocols } from '../world.ts'

const opened = new AsyncDisposableStack()
let world: PublicGateway
let clients: Clients
let second: Door
beforeAll(async () => {
  const rpcUrls = async (url: string) => {
    const [one, other] = [opened.use(await openDoor(url)), opened.use(await openDoor(url))]
    second = other
    return `${one.url}?apikey=query-key,${other.url.replace('127.0.0.1', 'user:login-key@localhost')}`
  }
  world = opened.use(await startPublic({ rpcUrls }))
  clients = opened.use(openClients(world.gateway.urls))
})
afterAll(async () => await opened.disposeAsync())

type Upstream = { calls: { method: string; calls: number; failed: number }[] }

const healthOf = async (client: Client) => {
  const { chains } = await output(client.call('operator.chainHealth', {}, operatorToken))
  expect(JSON.stringify(chains)).not.toMatch(/secret-key|query-key|login-key|http/)
  return chains[0]
}

test.each(protocols)(
  'over %s nodes are named by chain, host and number, and one that fails is reported',
  async (protocol) => {
    const client = clients[protocol]
    second.instead = null
    const counted = { calls: expect.any(Array), slowed_by_ms: 0 }
    const well = { healthy: true, latency_ms: expect.any(Number), blocks_behind: 0, ...counted }
    const wait = { timeout: 120_000, interval: 250 }
    const both = [
      { name: '4242/127.0.0.1/1', ...well },
      { name: '4242/localhost/2', ...well },
    ]
    // It may not have been asked again yet for every method at which it failed.
    const stateOf = ({ failing_methods: _, ...state }: { failing_methods?: string[] }) => state
    await vi.waitFor(async () => expect((await healthOf(client)).upstreams.map(stateOf)).toEqual(both), wait)
    // The chain of this node begins in the past.
    expect(await healthOf(client)).toMatchObject({ chain_id: 4_242, stale: true, age_seconds: expect.any(Number) })
    second.instead = (_, response) => void response.destroy()
    await vi.waitFor(async () => {
      expect((await healthOf(client)).upstreams).toMatchObject([{ healthy: true }, { healthy: false }])
    }, wait)
  },
)

test('every call of each node is counted by method, over the operator and in the metrics, without its URL', async () => {
  let failed = 0
  second.instead = (_, response) => {
    failed += 1
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32_603, message: 'internal error' } }))
  }
  await vi.waitFor(() => expect(failed).toBeGreaterThan(2), { timeout: 30_000 })
  second.instead = null
  const upstreams: Upstream[] = (await healthOf(clients.rest)).upstreams
  const [one, other] = upstreams
  expect(one?.calls.map(({ method }) => method)).toContain('eth_getBlockByNumber')
  expect(one?.calls.map(({ calls }) => calls)).toEqual(one?.calls.map(({ calls }) => calls).toSorted((a, b) => b - a))
  expect(other?.calls.find(({ method }) => method === 'eth_blockNumber')?.failed).toBeGreaterThan(1)
  const response = await fetch(`${world.gateway.urls.http}/metrics`, {
    headers: { authorization: `Bearer ${operatorToken}` },
  })
  const text = await response.text()
  expect(text).not.toMatch(/secret-key|query-key|login-key/)
  const counter = 'trident_upstream_calls_total{chain="4242",upstream="4242/localhost/2",method="eth_blockNumber"'
  for (const ok of ['true', 'false']) {
    const line = text.split('\n').find((found) => found.startsWith(`${counter},ok="${ok}"} `))
    expect(Number(line?.split(' ').at(-1))).toBeGreaterThan(0)
  }
})

test('where no node responds, the state of the nodes is still answered', async () => {
  const healthy = await healthOf(clients.rest)
  expect(healthy.head_number).toBeGreaterThan(0)
  await world.anvil.kill()
  // One answer takes more than a second, as the head is asked for again.
  const state = async () => {
    const { upstreams, stale, ...rest } = await healthOf(clients.grpc)
    expect(upstreams).toMatchObject([{ healthy: false }, { healthy: false }])
    expect([stale, 'head_number' in rest, 'age_seconds' in rest]).toEqual([true, false, false])
  }
  await vi.waitFor(state, { timeout: 20_000 })
})
