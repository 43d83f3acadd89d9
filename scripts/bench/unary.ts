import type { Bench } from './bench.ts'
import type { Figure } from './figures.ts'
import { startLoadProcess } from './load-process.ts'
import { inTurns } from './turns.ts'
import { openUnaryWorld, type Way } from './unary-world.ts'

const rounds = 5
const connections = 8
const slotMs = 400
/**
 * Each server first works for as long as its code takes to be compiled well: by processor time, of which a busy machine
 * gives it little in any while of the clock.
 */
const warmingUpMs = 2_000

/**
 * One request and its answer: the gateway beside a server without checks, and beside other frameworks that check the same.
 * Each server is a process of its own, and what it has worked for a request tells more than how many it answered.
 */
export const bench: Bench = async () => {
  await using world = await openUnaryWorld()
  await using generator = startLoadProcess()
  const figures: Figure[] = []
  for (const { what, ways } of world.rows) {
    const slot = async ({ use, target, request }: Way) => {
      const worked = use.processorMs()
      const { perSecond, latencies } = await generator.run({ target, request, connections, milliseconds: slotMs })
      return { perSecond, cpu: ((use.processorMs() - worked) * 1_000) / latencies.length }
    }
    const loads = await inTurns(ways, rounds, async (way, warmsUp) => {
      const began = way.use.processorMs()
      if (warmsUp) while (way.use.processorMs() - began < warmingUpMs) await slot(way)
      return await slot(way)
    })
    const [floor, ...others] = ways.map((way) => ({ name: way.name, loads: loads.get(way) ?? [] }))
    if (floor === undefined) continue
    for (const way of others) {
      const figure = { what, way: way.name }
      const perSecond = (of: typeof way) => of.loads.map((load) => load.perSecond)
      const cpu = (of: typeof way) => of.loads.map((load) => load.cpu)
      figures.push(
        { ...figure, unit: 'a second', rounds: perSecond(way), floor: { name: floor.name, rounds: perSecond(floor) } },
        { ...figure, unit: 'µs of CPU', rounds: cpu(way), floor: { name: floor.name, rounds: cpu(floor) } },
      )
    }
  }
  return figures
}
