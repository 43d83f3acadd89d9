import type { Bench } from '../bench.ts'
import { startChild } from '../child.ts'
import type { Figure } from '../figures.ts'
import type { Load, Slot } from '../load/load.ts'
import { perSecondOf } from '../load/per-second.ts'
import { inTurns } from '../turns.ts'
import { openPeers, openWhole, type Row, type Way } from '../worlds/requests-world.ts'

const rounds = 4
const connections = 8
const slotMs = 400
/**
 * Each server is warmed up until its code is compiled. This is measured by CPU time, because a busy machine gives it
 * little of any period.
 */
const warmingUpMs = 2_000

/**
 * One request and its response: the gateway compared with a server without checks, and with other frameworks that check
 * the same token and input, but not their output. Each server is a separate process; CPU time per request says more
 * than requests per second.
 */
export const bench: Bench = async () => {
  await using generator = startChild('load/load.ts')
  const runLoad = (slot: Slot) => generator.ask<Load>(slot)
  const figures: Figure[] = []
  for (const open of [openPeers, openWhole]) {
    await using world = await open()
    for (const row of world.rows) figures.push(...(await measured(row, runLoad)))
  }
  return figures
}

async function measured({ what, ways }: Row, runLoad: (slot: Slot) => Promise<Load>): Promise<Figure[]> {
  const slot = async ({ use, target, request }: Way) => {
    const worked = use.processorMs()
    const load = await runLoad({ target, request, connections, milliseconds: slotMs })
    return { ...load, cpu: ((use.processorMs() - worked) * 1_000) / load.answers }
  }
  const loads = await inTurns(ways, rounds, async (way, warmsUp) => {
    const began = way.use.processorMs()
    let load = await slot(way)
    while (warmsUp && way.use.processorMs() - began < warmingUpMs) load = await slot(way)
    return load
  })
  const [floor, ...others] = ways.map((way) => ({ name: way.name, loads: loads.get(way) ?? [] }))
  if (floor === undefined) return []
  const perSecond = (of: typeof floor) => perSecondOf(of.loads)
  const cpu = (of: typeof floor) => ({ rounds: of.loads.map((load) => load.cpu) })
  return others.flatMap((way): Figure[] => {
    const figure = { what, way: way.name }
    return [
      { ...figure, unit: 'a second', ...perSecond(way), floor: { name: floor.name, ...perSecond(floor) } },
      { ...figure, unit: 'µs of CPU', ...cpu(way), floor: { name: floor.name, ...cpu(floor) } },
    ]
  })
}
