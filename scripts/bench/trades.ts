import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, output } from '../../test/clients/client.ts'
import { restClient } from '../../test/clients/rest.ts'
import { dataFolder, type Gateway, rpc, startGateway } from '../../test/faults/gateway.ts'
import { openTradeStore, type TradeStore } from '../../test/faults/trade-store.ts'
import type { Account } from '../../test/world.ts'
import type { Bench } from './bench.ts'
import { at, type Figure, median } from './figures.ts'
import { openRawSwap, type RawSwap } from './raw-swap.ts'
import { openAccounts, trade } from './trader.ts'
import { inTurns } from './turns.ts'

const rounds = 4
const calls = 15
const callers = 8
const callsOfCallers = 40
/** Most trades that wait for their answers at once. */
const atOnce = 64

/**
 * Real trades over REST: how long each step takes and how many a second are answered, beside the same swap asked of the
 * engine itself or signed and sent as it is. The sandbox seals a block every 2 s, and nothing is included sooner.
 */
export const bench: Bench = async ([trades = 64, wallets = 16]) => {
  using folder = dataFolder()
  await using gateway = await startGateway(folder.path, { LOG_LEVEL: 'silent' })
  const client = restClient(gateway.urls.http)
  const accounts = await openAccounts(client, wallets)
  using raw = await openRawSwap(folder.path, gateway, client)
  const store = openTradeStore(join(folder.path, 'trident.sqlite'))
  using _ = { [Symbol.dispose]: store.close }
  const [ada] = accounts
  if (ada === undefined) throw new Error('There is no wallet.')
  const world = { gateway, client, raw, store, trades }
  return [
    ...(await steps(world, ada)),
    ...(await toTheirBlock(world, ada)),
    ...(await throughput(world, { '1 wallet': [ada], [`${wallets} wallets`]: accounts })),
  ]
}

type World = { gateway: Gateway; client: Client; raw: RawSwap; store: TradeStore; trades: number }
type Step = { name: string; floor: string | null; act: () => Promise<unknown> }

async function steps({ gateway, client, raw }: World, ada: Account): Promise<Figure[]> {
  const { urls } = gateway
  const input = ada.swap('WETH', 'USDC', '0.001')
  const empty = 'GET /health/live'
  const ways: Step[] = [
    { name: empty, floor: null, act: async () => void (await (await fetch(`${urls.http}/health/live`)).text()) },
    { name: 'eth_call of one pool', floor: null, act: raw.quote },
    { name: 'eth_call of the swap', floor: null, act: raw.simulate },
    { name: 'eth_blockNumber', floor: empty, act: () => rpc(urls.rpc, 'eth_blockNumber') },
    {
      ...{ name: 'quote', floor: 'eth_call of one pool' },
      act: async () => void (await output(client.call('trading.quote', { input }, ada.token))),
    },
    {
      ...{ name: 'simulate', floor: 'eth_call of the swap' },
      act: async () => void (await output(client.call('trading.execute', { input }, ada.token))),
    },
  ]
  const results = await inTurns(ways, rounds, async ({ act }) => {
    const times = await inLine(act)
    const used = gateway.processorMs()
    const pace = await sideBySide(act)
    return { p50: median(times), p99: at(times, 0.99), pace, worked: (gateway.processorMs() - used) / callsOfCallers }
  })
  const shown = [
    ['p50', 'ms', 'p50'],
    ['p99', 'ms', 'p99'],
    [`by ${callers} callers`, 'a second', 'pace'],
    ['processor of the gateway, each', 'ms', 'worked'],
  ] as const
  return ways.flatMap((way) => {
    const floor = ways.find(({ name }) => name === way.floor)
    if (floor === undefined) return []
    const [ours, floors] = [results.get(way) ?? [], results.get(floor) ?? []]
    return shown.map(
      ([what, unit, key]): Figure => ({
        what: `${way.name}, ${what}`,
        unit,
        rounds: ours.map((round) => round[key]),
        ...(key === 'worked' ? {} : { floor: { name: floor.name, rounds: floors.map((round) => round[key]) } }),
      }),
    )
  })
}

/** Milliseconds of each call of one caller. */
async function inLine(act: Step['act']): Promise<number[]> {
  const times: number[] = []
  while (times.length < calls) {
    const begun = performance.now()
    await act()
    times.push(performance.now() - begun)
  }
  return times
}

/** How many calls of several callers at once are answered a second. */
async function sideBySide(act: Step['act']): Promise<number> {
  const begun = performance.now()
  await share(callsOfCallers, callers, act)
  return perSecond(callsOfCallers, performance.now() - begun)
}

/** Does something so many times, by so many at once; each is told which of them it is. */
async function share(times: number, workers: number, act: (worker: number) => Promise<unknown>): Promise<void> {
  let done = 0
  const work = async (_: unknown, worker: number) => {
    while (done++ < times) await act(worker)
  }
  await Promise.all(Array.from({ length: workers }, work))
}

async function toTheirBlock({ gateway, client, raw }: World, ada: Account): Promise<Figure[]> {
  const send = async () => {
    const { error } = await rpc(gateway.urls.rpc, 'eth_sendRawTransactionSync', await raw.sign(), 10_000)
    if (error !== undefined) throw new Error(error.message)
  }
  const ways = [() => trade(client, ada), send]
  const times = await inTurns(ways, 3, async (act) => {
    const begun = performance.now()
    await act()
    return performance.now() - begun
  })
  const [ours = [], floor = []] = times.values()
  return [
    {
      what: 'execute, to its block',
      unit: 'ms',
      rounds: ours,
      floor: { name: 'eth_sendRawTransactionSync', rounds: floor },
    },
  ]
}

/** A bounded number of trades: they are accepted once they have their nonces, and included once they are answered. */
async function throughput(world: World, wallets: Record<string, Account[]>): Promise<Figure[]> {
  const { client, store, trades } = world
  const floor = await rawPace(world)
  const figures: Figure[] = []
  for (const [name, accounts] of Object.entries(wallets)) {
    const all = store.placed() + trades
    const begun = performance.now()
    const answered = share(trades, atOnce, (worker) => trade(client, accounts[worker % accounts.length] as Account))
    const accepted = until(() => store.placed() >= all).then(() => performance.now() - begun)
    const times = await Promise.all([accepted, answered.then(() => performance.now() - begun)])
    for (const [index, what] of (['accepted', 'included'] as const).entries())
      figures.push({
        what: `trades ${what}, ${name}`,
        unit: 'a second',
        rounds: [perSecond(trades, times[index])],
        floor: { name: `sent raw, ${what}`, rounds: [perSecond(trades, floor[index])] },
      })
  }
  return figures
}

/** Milliseconds in which as many swaps of one wallet are taken, and are in blocks, where they are signed and sent as they are. */
async function rawPace({ gateway: { urls }, raw, trades }: World): Promise<[accepted: number, included: number]> {
  const begun = performance.now()
  let last = ''
  for (let sent = 0; sent < trades; sent += 1)
    last = (await rpc(urls.rpc, 'eth_sendRawTransaction', await raw.sign())).result
  const accepted = performance.now() - begun
  await until(async () => (await rpc(urls.rpc, 'eth_getTransactionReceipt', last)).result !== null)
  return [accepted, performance.now() - begun]
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = performance.now() + 60_000; !(await holds()); await sleep(10))
    if (performance.now() > deadline) throw new Error('It did not come about within 60 s.')
}

function perSecond(count: number, milliseconds = Number.NaN): number {
  return (count * 1_000) / milliseconds
}
