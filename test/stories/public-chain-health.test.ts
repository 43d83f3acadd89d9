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
    const well = { healthy: true, latency_ms: expect.any(Number), blocks_behind: 0 }
    const wait = { timeout: 120_000, interval: 250 }
    const both = [
      { name: '4242/127.0.0.1/1', ...well },
      { name: '4242/localhost/2', ...well },
    ]
    await vi.waitFor(async () => expect((await healthOf(client)).upstreams).toEqual(both), wait)
    // The chain of this node begins in the past.
    expect(await healthOf(client)).toMatchObject({ chain_id: 4_242, stale: true, age_seconds: expect.any(Number) })
    second.instead = (_, response) => void response.destroy()
    await vi.waitFor(async () => {
      expect((await healthOf(client)).upstreams).toMatchObject([{ healthy: true }, { healthy: false }])
    }, wait)
  },
)

test('where no node responds, the state of the nodes is still answered', async () => {
  const healthy = await healthOf(clients.rest)
  expect(healthy.head_number).toBeGreaterThan(0)
  await world.anvil.kill()
  await vi.waitFor(async () => {
    const { upstreams, stale, ...rest } = await healthOf(clients.grpc)
    expect(upstreams).toMatchObject([{ healthy: false }, { healthy: false }])
    expect([stale, 'head_number' in rest, 'age_seconds' in rest]).toEqual([true, false, false])
  })
})
