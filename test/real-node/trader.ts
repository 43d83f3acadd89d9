import { join } from 'node:path'
import { paidBy } from '../accounts.ts'
import { type Outcome, output } from '../clients/client.ts'
import { type Clients, openClients } from '../clients/clients.ts'
import { dataFolder } from '../data-folder.ts'
import { openTradeStore, type TradeStore } from '../drivers/trade-store.ts'
import { type Gateway, startGateway } from '../gateway-process.ts'
import { type Account, newAccount } from '../world.ts'
import { type GethWorld, gethSettings } from './geth.ts'

/** What an answer took, and what it was. */
type Timed<T> = { ms: number; answer: T }

/** A trade as its caller sees it. */
export type Traded = { status: string; message: string; tx_hash: string }

/** A trader of a gateway that is a process of its own, which can start anew on the same data. */
export type Trader = AsyncDisposable & {
  account: Account
  dataDir: string
  gateway(): Gateway
  /** Ends the gateway, by SIGTERM unless by SIGKILL, and starts it again: it has forgotten what its nodes did. */
  restart(how?: 'stop' | 'kill'): Promise<void>
  quote(): Promise<Timed<Outcome>>
  risk(quote: unknown): Promise<Timed<Outcome>>
  /** The status of `GET /health/ready`. */
  ready(): Promise<Timed<number>>
  /** How many times each of its transactions was signed, in the order of the nonces. */
  signings(): number[]
  /** How many of its transactions are in blocks. */
  sent(): Promise<number>
  store: TradeStore
  /** Reads the books, which finds deposits. */
  positions(): Promise<unknown>
  /** Trades the amount of WETH for USDC under a key of its own, or a given one. */
  trade(key?: string): Promise<Timed<Outcome>>
}

/** What each trade sells, in WETH. */
export const amount = '0.01'

async function timed<T>(work: Promise<T>): Promise<Timed<T>> {
  const begun = performance.now()
  const answer = await work
  return { ms: Math.round(performance.now() - begun), answer }
}

/** Starts a gateway before these nodes, and registers an account that `geth` pays. */
export async function openTrader(
  geth: GethWorld,
  nodes: readonly { url: string }[],
  more: Record<string, string> = {},
): Promise<Trader> {
  await using opened = new AsyncDisposableStack()
  const dir = opened.use(dataFolder()).path
  // Each start listens on other ports, so links to the explorer would change.
  const url = nodes.map((node) => node.url).join()
  const settings = { ...gethSettings(geth, { dir, url }), PUBLIC_URL: 'http://gateway.example', ...more }
  let gateway: Gateway
  let clients: Clients
  const start = async () => {
    gateway = await startGateway(dir, settings)
    clients = openClients(gateway.urls)
    paidBy(clients, geth.give)
  }
  const end = async (how: 'stop' | 'kill') => {
    clients[Symbol.dispose]()
    await gateway[how]()
  }
  await start()
  opened.defer(() => end('stop'))
  const account = await newAccount(clients!.rest)
  const call = (id: Parameters<Clients['rest']['call']>[0], input: object) =>
    timed(clients.rest.call(id, input, account.token))
  const checks = { chain: 'evm', addresses: [account.address('USDC')], checks: ['rug', 'whale_flow', 'price_sanity'] }
  const store = opened.adopt(openTradeStore(join(dir, 'trident.sqlite')), (open) => open.close())
  const resources = opened.move()
  return {
    account,
    store,
    signings: () => store.signings(account.wallet),
    sent: async () => Number(await geth.call('eth_getTransactionCount', account.wallet, 'latest')),
    dataDir: dir,
    gateway: () => gateway,
    async restart(how = 'stop') {
      await end(how)
      await start()
    },
    quote: () => call('trading.quote', { input: account.swap('WETH', 'USDC', amount) }),
    risk: (quote) => call('trading.assessRisk', { quote, input: checks }),
    ready: () => timed(fetch(`${gateway.urls.http}/health/ready`).then(({ status }) => status)),
    positions: async () => await output(clients.rest.call('metrics.positions', {}, account.token)),
    trade: (key = crypto.randomUUID()) => call('trading.execute', account.trade('WETH', 'USDC', amount, key)),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
