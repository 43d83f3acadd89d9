import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newAccount, paidBy } from '../accounts.ts'
import { output } from '../clients/client.ts'
import { type Clients, openClients } from '../clients/clients.ts'
import { dataFolder } from '../data-folder.ts'
import { type Gateway, startGateway } from '../gateway-process.ts'
import { mainJob } from '../stories/main-job.ts'
import { protocols } from '../world.ts'
import { type GethWorld, gethSettings, startGethWorld } from './geth.ts'
import { noGeth, noGethReason } from './geth-binary.ts'
import { type NodeProxy, openNodeProxy } from './node-proxy.ts'

if (noGeth) console.log(noGethReason)

describe.skipIf(noGeth)('a gateway in front of go-ethereum', () => {
  let geth: GethWorld
  let proxy: NodeProxy
  let gateway: Gateway
  let clients: Clients
  const opened = new AsyncDisposableStack()
  beforeAll(async () => {
    geth = opened.use(await startGethWorld())
    proxy = opened.use(await openNodeProxy(geth.url))
    const dir = opened.use(dataFolder()).path
    gateway = opened.use(await startGateway(dir, gethSettings(geth, { dir, url: proxy.url })))
    clients = opened.use(openClients(gateway.urls))
    const { token } = await newAccount(clients.rest)
    paidBy(clients, async (wallet) => {
      await geth.give(wallet)
      // The gateway hears of the block from its node a moment later.
      const worth = async () =>
        (await output(clients.rest.call('tools.walletBalance', { address: wallet }, token))).total_value_usd
      await expect.poll(async () => Number(await worth()), { timeout: 30_000 }).toBeGreaterThan(0)
    })
  })
  afterAll(async () => await opened.disposeAsync())

  test.concurrent.each(protocols)('the main job over %s', async (protocol) => {
    const askChain = (method: string, params: unknown[]) => geth.call(method, ...params)
    await mainJob({ urls: gateway.urls, clients, askChain, grants: false }, protocol)
  })

  test('trades reach it through the proxy, and what they spend is found though the zero address owns nothing', async () => {
    expect(await geth.call('eth_getBalance', `0x${'00'.repeat(20)}`, 'latest')).toBe('0x0')
    // A purchase and a sale on each protocol, each with its approval.
    expect(proxy.calls.eth_sendRawTransaction).toBeGreaterThanOrEqual(2 * 2 * protocols.length)
    expect(proxy.calls.eth_createAccessList).toBeGreaterThan(0)
    expect(gateway.complaints()).toBe('')
  })
})
