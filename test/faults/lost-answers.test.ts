import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { output, type Protocol } from '../clients/client.ts'
import { type Clients, openClients } from '../clients/clients.ts'
import { openTradeStore, type TradeStore } from '../drivers/trade-store.ts'
import { expectWholeAndOnce } from '../drivers/whole-and-once.ts'
import { type Gateway, startGateway } from '../gateway-process.ts'
import { type Door, openDoor } from '../node/anvil.ts'
import { type PublicChain, richAccount, settingsOf, startPublicChain } from '../trading/public-world.ts'
import { type Account, protocols } from '../world.ts'
import { figures } from './figures.ts'

const amount = '0.003'

let chain: PublicChain
let door: Door
let gateway: Gateway
let clients: Clients
let store: TradeStore
let ada: Account

beforeAll(async () => {
  chain = await startPublicChain()
  door = await openDoor(chain.anvil.url)
  gateway = await startGateway(chain.dir, settingsOf(chain, { CHAIN_RPC_URL: door.url }))
  clients = openClients(gateway.urls)
  ada = await richAccount(clients.rest, chain)
  // The deposit is found when the books are read.
  await output(clients.rest.call('metrics.positions', {}, ada.token))
  store = openTradeStore(join(chain.dir, 'trident.sqlite'))
}, 120_000)
afterAll(async () => {
  store?.close()
  await gateway?.kill()
  await door?.[Symbol.asyncDispose]()
  await chain?.close()
})

const send = (key: string, protocol: Protocol) =>
  clients[protocol].call('trading.execute', ada.trade('WETH', 'USDC', amount, key), ada.token)

test('trades whose sends lose their responses are made once, over any protocol', async () => {
  let sends = 0
  let lost = 0
  // The node accepts every transaction, but two of three responses are lost.
  door.loses = (method) => {
    if (method !== 'eth_sendRawTransaction' || sends++ % 3 === 0) return false
    lost += 1
    return true
  }
  const keys = Array.from({ length: 24 }, (_, index) => `lost-${index}`)
  const asked = keys.map((key) => Promise.all(protocols.map((protocol) => send(key, protocol))))
  await Promise.all(asked)
  door.loses = null
  const hashes = new Map<string, string>()
  for (const [index, key] of keys.entries()) {
    const answer = await output(send(key, protocols[index % 3]!))
    expect([key, answer.status]).toEqual([key, 'success'])
    hashes.set(key, answer.tx_hash)
  }
  await until(() => store.underWay().length === 0, 'every trade to be decided', 30_000)
  expect(lost).toBeGreaterThan(24)
  const whole = await expectWholeAndOnce({ store, keys, hashes, ada, rpc: chain.anvil.url, amount })
  figures('lost answers', { sends, unanswered: lost, trades: keys.length, requests: keys.length * 4, ...whole })
}, 240_000)
