import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, output } from '../../test/clients/client.ts'
import { restClient } from '../../test/clients/rest.ts'
import { dataFolder, type Gateway, rpc, startGateway } from '../../test/faults/gateway.ts'
import { openTradeStore, type TradeStore } from '../../test/faults/trade-store.ts'
import { type Account, fundedAccount } from '../../test/world.ts'

/**
 * Measures real trades over REST: how long each step takes beside an empty call, how many trades a second one wallet and
 * 64 wallets get placed and mined, and how soon what a kill left is taken up. The sandbox seals a block every 2 s, so
 * `execute` and what is included are no quicker than that. Prints one table; takes about two minutes.
 */
const wallets = 64
const trades = 128
const calls = 100
const executions = 20
const restarts = 3
/** Most trades of a run that wait for their answers at once. */
const atOnce = 64

const rows: string[][] = [['what', 'n', 'p50 ms', 'p99 ms', 'of the floor', 'a second', 'CPU ms each']]
const started = performance.now()
let keys = 0

using folder = dataFolder()
let gateway = await startGateway(folder.path, { LOG_LEVEL: 'silent' })
try {
  let client = restClient(gateway.urls.http)
  const accounts = [await fundedAccount(client)]
  const store = openTradeStore(join(folder.path, 'trident.sqlite'))
  await steps(gateway, client, accounts[0] as Account)
  while (accounts.length < wallets)
    accounts.push(...(await Promise.all(Array.from({ length: 8 }, () => fundedAccount(client)))).slice(0, wallets))
  await throughput(gateway, client, store, '1 wallet', accounts.slice(0, 1))
  await throughput(gateway, client, store, `${wallets} wallets`, accounts.slice(0, wallets))

  const times: { ready: number; takenUp: number; mined: number; left: number }[] = []
  for (let restart = 0; restart < restarts; restart += 1) {
    const left = await killAmid(gateway, client, store, accounts)
    const begun = performance.now()
    gateway = await startGateway(folder.path, { LOG_LEVEL: 'silent' })
    client = restClient(gateway.urls.http)
    while (store.unsent() > 0) await sleep(5)
    const takenUp = performance.now() - begun
    while (store.underWay().length > 0) await sleep(5)
    times.push({ ready: gateway.readyMs, takenUp, mined: performance.now() - begun, left })
  }
  const left = times.map((time) => time.left).join(', ')
  quick(
    'start to ready',
    times.map(({ ready }) => ready),
  )
  quick(
    `start to all sent (unsent: ${left})`,
    times.map(({ takenUp }) => takenUp),
  )
  quick(
    'start to all in a block',
    times.map(({ mined }) => mined),
  )
  store.close()
} finally {
  await gateway[Symbol.asyncDispose]()
}
console.log(table(rows))
console.log(`\nThe sandbox seals a block every 2 s. ${Math.round((performance.now() - started) / 1_000)} s in all`)

/** One caller at a time, the steps in turns, so that a machine that is slow for a while is slow for all of them. */
async function steps({ urls, processorMs }: Gateway, client: Client, ada: Account): Promise<void> {
  const input = ada.swap('WETH', 'USDC', '0.001')
  const asked = {
    'floor: GET /health/live': async () => void (await (await fetch(`${urls.http}/health/live`)).text()),
    eth_blockNumber: async () => void (await rpc(urls.rpc, 'eth_blockNumber')),
    quote: async () => void (await output(client.call('trading.quote', { input }, ada.token))),
    simulate: async () => void (await output(client.call('trading.execute', { input }, ada.token))),
  }
  const found = new Map(Object.keys(asked).map((name) => [name, { times: [] as number[], processor: 0 }]))
  for (let call = -5; call < calls; call += 1) {
    for (const [name, ask] of Object.entries(asked)) {
      const [begun, used] = [performance.now(), processorMs()]
      await ask()
      const one = found.get(name)
      if (call < 0 || one === undefined) continue // the first calls warm up
      one.times.push(performance.now() - begun)
      one.processor += processorMs() - used
    }
  }
  const floor = at(found.get('floor: GET /health/live')?.times ?? [], 0.5)
  for (const [name, { times, processor }] of found) quick(name, times, floor, processor / times.length)
  const times: number[] = []
  const used = processorMs()
  for (let call = 0; call < executions; call += 1) {
    const begun = performance.now()
    await trade(client, ada)
    times.push(performance.now() - begun)
  }
  quick('execute, to its block', times, floor, (processorMs() - used) / executions)
}

/** A trade that must succeed; its wait for a block is in it. */
async function trade(client: Client, ada: Account): Promise<void> {
  keys += 1
  const key = `key-${keys}`
  const ask = () => client.call('trading.execute', ada.trade('WETH', 'USDC', '0.001', key), ada.token)
  let answer = await output(ask())
  // The same key again tells how the same trade stands.
  for (; answer.status === 'pending'; answer = await output(ask())) await sleep(200)
  if (answer.status !== 'success') throw new Error(`A trade is ${answer.status}: ${answer.message}`)
}

/** Sends a bounded number of trades; they are placed once they have their nonces, and included once they are answered. */
async function throughput(gateway: Gateway, client: Client, store: TradeStore, name: string, accounts: Account[]) {
  const before = store.placed()
  const used = gateway.processorMs()
  const begun = performance.now()
  let sent = 0
  const worker = async (_: unknown, index: number) => {
    for (let account = accounts[index % accounts.length]; account !== undefined && sent < trades; ) {
      sent += 1
      await trade(client, account)
    }
  }
  const all = Promise.all(Array.from({ length: atOnce }, worker))
  let ended = false
  const end = () => {
    ended = true
  }
  void all.then(end, end)
  while (!ended && store.placed() < before + trades) await sleep(10)
  const placed = performance.now() - begun
  await all
  const included = performance.now() - begun
  const processor = ((gateway.processorMs() - used) / trades).toFixed(0)
  const row = (what: string, ms: number) => [
    what,
    `${trades}`,
    '',
    '',
    '',
    ((trades * 1_000) / ms).toFixed(1),
    processor,
  ]
  rows.push(row(`accepted, ${name}`, placed), row(`included, ${name}`, included))
}

/** Kills the gateway once a trade has its nonce and no node has the trade; answers how many transactions it left so. */
async function killAmid(gateway: Gateway, client: Client, store: TradeStore, accounts: Account[]): Promise<number> {
  const cut = accounts.map((account) => trade(client, account).catch(() => null))
  for (const deadline = performance.now() + 20_000; store.unsent() === 0 && performance.now() < deadline; )
    await sleep(1)
  await gateway.kill()
  await Promise.all(cut)
  return store.unsent()
}

function quick(name: string, times: readonly number[], floor?: number, processor?: number): void {
  const p50 = at(times, 0.5)
  const ratio = floor === undefined ? '' : (p50 / floor).toFixed(1)
  rows.push([
    name,
    `${times.length}`,
    p50.toFixed(1),
    at(times, 0.99).toFixed(1),
    ratio,
    '',
    processor?.toFixed(1) ?? '',
  ])
}

/** The value below which so great a part of them lies. */
function at(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

function table([head = [], ...body]: string[][]): string {
  const all = [head, head.map(() => '---'), ...body]
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  const cell = (text: string, column: number) =>
    column === 0 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0)
  return all.map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n')
}
