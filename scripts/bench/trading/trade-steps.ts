import { type Client, output } from '../../../test/clients/client.ts'
import { rpc } from '../../../test/clients/rpc-call.ts'
import type { Gateway } from '../../../test/gateway-process.ts'
import type { Account } from '../../../test/world.ts'
import { type Figure, timeFigures } from '../figures.ts'
import { shareWork, timed } from '../load/shared-work.ts'
import { inTurns } from '../turns.ts'
import type { RawSwap } from './raw-swap.ts'

const rounds = 4
const calls = 25
const callers = 8
const callsOfCallers = 40

type World = { gateway: Gateway; client: Client; raw: RawSwap }
type Step = { name: string; floor: string | null; act: () => Promise<unknown> }
/**
 * One round: milliseconds of each call of one caller, calls per second of several, and the gateway's CPU time for each.
 */
type Round = { times: number[]; perSecond: number; workedMs: number }

/** The steps before a trade, each compared with the same call to the engine itself. */
export async function tradeSteps(world: World, ada: Account): Promise<Figure[]> {
  const steps = stepsOf(world, ada)
  const results = await inTurns(steps, rounds, async ({ act }): Promise<Round> => {
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
    return figuresOf(step.name, results.get(step) ?? [], { name: floor.name, of: results.get(floor) ?? [] })
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

function figuresOf(what: string, ours: Round[], floor: { name: string; of: Round[] }): Figure[] {
  const times = (rounds: Round[]) => rounds.map((round) => round.times)
  const perSecond = (rounds: Round[]) => rounds.map((round) => round.perSecond)
  return [
    ...timeFigures(what, times(ours), { name: floor.name, times: times(floor.of) }),
    {
      what: `${what}, by ${callers} callers`,
      unit: 'a second',
      rounds: perSecond(ours),
      floor: { name: floor.name, rounds: perSecond(floor.of) },
    },
    // The engine is a separate process, whose CPU time is not included.
    { what: `${what}, processor of the gateway, each`, unit: 'ms', rounds: ours.map(({ workedMs }) => workedMs) },
  ]
}
