import type { Bench } from './bench.ts'
import type { Figure } from './figures.ts'
import { startLoadProcess } from './load-process.ts'
import { inTurns } from './turns.ts'
import { openBenchWorld } from './world.ts'

const rounds = 5
const connections = 8
const milliseconds = 250

/**
 * Calls of the node through the gateway against the same calls straight to the engine, in turns, so that a machine
 * that is slow for a while is slow for all of them.
 */
export const bench: Bench = async () => {
  await using world = await openBenchWorld()
  await using generator = startLoadProcess()
  const figures: Figure[] = []
  for (const call of world.calls) {
    const loads = await inTurns(world.ways, rounds, ({ target, request }) =>
      generator.run({ target, request: request(call), connections, milliseconds }),
    )
    for (const way of world.ways) {
      if (way.comparedWith === null) continue
      const base = world.ways.find(({ name }) => name === way.comparedWith)
      const [ours = [], floor = []] = [loads.get(way), base && loads.get(base)]
      figures.push({
        what: `${call.name}, ${way.name}`,
        unit: 'a second',
        rounds: ours.map(({ perSecond }) => perSecond),
        floor: { name: way.comparedWith, rounds: floor.map(({ perSecond }) => perSecond) },
      })
    }
  }
  return figures
}
