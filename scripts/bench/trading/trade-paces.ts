import { until } from '../../../src/sandbox/fixtures/testing.ts'
import type { Client } from '../../../test/clients/client.ts'
import type { TradeStore } from '../../../test/drivers/trade-store.ts'
import type { Account } from '../../../test/world.ts'
import { type Figure, timeFigures } from '../figures.ts'
import { pollMs, shareWork, timed, waitMs } from '../load/shared-work.ts'
import { inTurns } from '../turns.ts'
import type { RawSwap } from './raw-swap.ts'
import { trade } from './trader.ts'

const rounds = 3
/** The most trades that wait for their response at the same time. */
const atOnce = 64

type World = { client: Client; raw: RawSwap; store: TradeStore; trades: number }

/** For some concurrent trades: milliseconds until a node has all of them, and until each is in a block. */
export type Pace = { accepted: number; included: number[] }

/**
 * A bounded number of concurrent trades of some wallets, compared with as many swaps that were signed before and sent
 * to the engine.
 */
export async function tradePaces(world: World, accounts: readonly Account[]): Promise<Figure[]> {
  const floor = async () => await world.raw.sendAll(await world.raw.signAll(world.trades))
  const ours = () => paceOf(world, accounts)
  const paces = await inTurns([floor, ours], rounds, (run) => run())
  const name = `${world.trades} trades of ${accounts.length} ${accounts.length === 1 ? 'wallet' : 'wallets'}`
  return figuresOf(name, paces.get(ours) ?? [], paces.get(floor) ?? [])
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

function figuresOf(what: string, ours: Pace[], raw: Pace[]): Figure[] {
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
