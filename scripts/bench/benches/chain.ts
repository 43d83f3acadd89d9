import type { Bench } from '../bench.ts'
import { startChild } from '../child.ts'
import type { Figure } from '../figures.ts'
import type { Load } from '../load/load.ts'
import { inTurns } from '../turns.ts'
import { openBenchWorld } from '../worlds/chain-world.ts'

const rounds = 3
const connections = 8
const milliseconds = 150

/**
 * Calls of the node through the gateway against the same calls straight to the engine, in turns, so that a machine
 * that is slow for a while is slow for all of them.
 */
export const bench: Bench = async () => {
  await using world = await openBenchWorld()
  await using generator = startChild('load/load.ts')
  const figures: Figure[] = []
  for (const call of world.calls) {
    const ways = world.ways.flatMap((way) => {
      const request = way.request(call)
      return request === null ? [] : [{ ...way, request }]
    })
    const loads = await inTurns(ways, rounds, ({ target, request }) =>
      generator.ask<Load>({ target, request, connections, milliseconds }),
    )
    for (const way of ways) {
      if (way.comparedWith === null) continue
      const base = ways.find(({ name }) => name === way.comparedWith)
      const [ours = [], floor = []] = [loads.get(way), base && loads.get(base)]
      figures.push({
        what: call.name,
        way: way.name,
        unit: 'a second',
        rounds: ours.map(({ perSecond }) => perSecond),
        floor: { name: way.comparedWith, rounds: floor.map(({ perSecond }) => perSecond) },
      })
    }
  }
  return figures
}
