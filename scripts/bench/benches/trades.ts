import { join } from 'node:path'
import { until } from '../../../src/sandbox/fixtures/testing.ts'
import { type Client, output } from '../../../test/clients/client.ts'
import { restClient } from '../../../test/clients/rest.ts'
import { rpc } from '../../../test/clients/rpc-call.ts'
import { dataFolder } from '../../../test/data-folder.ts'
import { openTradeStore, type TradeStore } from '../../../test/drivers/trade-store.ts'
import { type Gateway, startGateway } from '../../../test/gateway-process.ts'
import type { Account } from '../../../test/world.ts'
import { type Bench, type Figure, timeFigures } from '../figures.ts'
import { openAccounts, openRawSwap, type Pace, type RawSwap, trade } from '../trading.ts'
import { inTurns, pollMs, shareWork, timed, waitMs } from '../turns.ts'

/**
 * Real trades over REST: the duration of each step and the steps per second, compared with the same swap called or sent
 * signed directly at the engine. The sandbox mines a block every 2 s, and nothing is included sooner.
 */
export const bench: Bench = async ([trades = 40, wallets = 16]) => {
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
  return [...(await tradeSteps(world, ada)), ...(await tradePaces(world, accounts))]
}

const stepRounds = 4
const paceRounds = 3
/** The most trades that wait for their response at the same time. */
const atOnce = 64
const calls = 25
const callers = 8
const callsOfCallers = 40

type World = { gateway: Gateway; client: Client; raw: RawSwap; store: TradeStore; trades: number }
type Step = { name: string; floor: string | null; act: () => Promise<unknown> }
/**
 * One round: milliseconds of each call of one caller, calls per second of several, and the gateway's CPU time for each.
 */
type Round = { times: number[]; perSecond: number; workedMs: number }

/** The steps before a trade, each compared with the same call to the engine itself. */
async function tradeSteps(world: World, ada: Account): Promise<Figure[]> {
  const steps = stepsOf(world, ada)
  const results = await inTurns(steps, stepRounds, async ({ act }): Promise<Round> => {
    const times: number[] = []
    while (times.length < calls) times.push(await timed(act))
    const worked = world.gateway.processorMs()
    const took = await timed(() => shareWork(callsOfCallers, callers, act))
    const workedMs = (world.gateway.processorMs() - worked) / callsOfCallers
    return { times, perSecond: (callsOfCallers * 1_000) / took, workedMs }
  })
  return steps.flatMap((step) => {
    const floor = steps.find(({ name }) => name === step.floor)
    if (floor === undefined) return []
    return stepFigures(step.name, results.get(step) ?? [], { name: floor.name, of: results.get(floor) ?? [] })
  })
}

function stepsOf({ gateway: { urls }, client, raw }: World, ada: Account): Step[] {
  const input = ada.swap('WETH', 'USDC', '0.001')
  const empty = 'GET /health/live'
  return [
    { name: empty, floor: null, act: async () => void (await (await fetch(`${urls.http}/health/live`)).text()) },
    { name: 'eth_call of one pool', floor: null, act: raw.quote },
    { name: 'eth_call of the swap', floor: null, act: raw.simulate },
    { name: 'eth_blockNumber', floor: empty, act: () => rpc(urls.rpc, 'eth_blockNumber') },
    {
      name: 'quote',
      floor: 'eth_call of one pool',
      act: () => output(client.call('trading.quote', { input }, ada.token)),
    },
    {
      name: 'simulate',
      floor: 'eth_call of the swap',
      act: () => output(client.call('trading.execute', { input }, ada.token)),
    },
  ]
}

function stepFigures(what: string, ours: Round[], floor: { name: string; of: Round[] }): Figure[] {
  const each = <Key extends keyof Round>(rounds: Round[], key: Key) => rounds.map((round) => round[key])
  return [
    ...timeFigures(what, each(ours, 'times'), { name: floor.name, times: each(floor.of, 'times') }),
    {
      what: `${what}, by ${callers} callers`,
      unit: 'a second',
      rounds: each(ours, 'perSecond'),
      floor: { name: floor.name, rounds: each(floor.of, 'perSecond') },
    },
    // The engine is a separate process, whose CPU time is not included.
    { what: `${what}, processor of the gateway, each`, unit: 'ms', rounds: each(ours, 'workedMs') },
  ]
}

/**
 * A bounded number of concurrent trades of some wallets, compared with as many pairs of approval and swap that were signed
 * before and sent to the node.
 */
async function tradePaces(world: World, accounts: readonly Account[]): Promise<Figure[]> {
  const floor = async () => await world.raw.sendAll(await world.raw.signPairs(world.trades))
  const ours = () => paceOf(world, accounts)
  const paces = await inTurns([floor, ours], paceRounds, (run) => run())
  const name = `${world.trades} trades of ${accounts.length} ${accounts.length === 1 ? 'wallet' : 'wallets'}`
  return paceFigures(name, paces.get(ours) ?? [], paces.get(floor) ?? [])
}

/** Trades count as accepted once a node has all their transactions, and as included once the response arrives. */
async function paceOf({ client, store, trades }: World, accounts: readonly Account[]): Promise<Pace> {
  const all = store.placed() + trades
  const included: number[] = []
  const answered = shareWork(trades, atOnce, async (worker) => {
    included.push(await timed(() => trade(client, accounts[worker % accounts.length] as Account)))
  })
  const haveAll = () => store.placed() >= all && store.unsent() === 0
  const [accepted] = await Promise.all([
    timed(() => until(haveAll, 'a node to have all trades', waitMs, pollMs)),
    answered,
  ])
  return { accepted, included }
}

function paceFigures(what: string, ours: Pace[], raw: Pace[]): Figure[] {
  const pace = (paces: Pace[], msOf: (pace: Pace) => number) =>
    paces.map((one) => (one.included.length * 1_000) / msOf(one))
  const times = (paces: Pace[]) => paces.map(({ included }) => included)
  const ends = { accepted: ({ accepted }: Pace) => accepted, included: (one: Pace) => Math.max(...one.included) }
  return [
    ...Object.entries(ends).map(
      ([end, msOf]): Figure => ({
        what: `${what}, ${end}`,
        unit: 'a second',
        rounds: pace(ours, msOf),
        floor: { name: `sent raw, ${end}`, rounds: pace(raw, msOf) },
      }),
    ),
    ...timeFigures(`${what}, each to its block`, times(ours), { name: 'sent raw', times: times(raw) }),
  ]
}
