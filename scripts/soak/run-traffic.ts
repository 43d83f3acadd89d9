import { accounts } from './traffic/accounts.ts'
import { bridge } from './traffic/bridge.ts'
import { chat } from './traffic/chat.ts'
import { malformed } from './traffic/malformed.ts'
import { node } from './traffic/node.ts'
import { documents, marketReader, subscribers } from './traffic/readers.ts'
import { tools } from './traffic/tools.ts'
import { trader } from './traffic/trades.ts'
import { cutShort, numbersOf, pause, type SoakWorld, type Traffic, type Work } from './world.ts'

const all: readonly Traffic[] = [
  accounts,
  ...['Ada', 'Bea', 'Cleo'].map(trader),
  chat,
  tools,
  ...['ETHUSDC', 'BTCUSDC', 'ETHBTC'].map(marketReader),
  subscribers,
  node,
  bridge,
  documents,
  malformed,
]

export type Prepared = { traffic: Traffic; work: Work }

/** Prepares every kind of traffic; its actions follow from the seed and its name. */
export async function prepareTraffic(world: SoakWorld): Promise<Prepared[]> {
  return await Promise.all(
    all.map(async (traffic) => ({ traffic, work: await traffic.begin(world, numbersOf(world, traffic.name)) })),
  )
}

/** Runs the traffic in rounds until it ends; an exception of a round is a failure. */
export async function runTraffic(world: SoakWorld, { traffic, work }: Prepared): Promise<void> {
  while (!world.over.aborted) {
    await world.turnstile.pass(work.round).catch((error: unknown) => {
      if (error !== cutShort) world.outcomes.broken(`${traffic.name}: ${error}`)
    })
    await pause(world, traffic.pauseMs)
  }
}
