import type { Bench } from '../bench.ts'
import { startChild } from '../child.ts'
import type { Figure } from '../figures.ts'
import type { Load } from '../load/load.ts'
import { perSecondOf } from '../load/per-second.ts'
import { inTurns } from '../turns.ts'
import { openBenchWorld } from '../worlds/chain-world.ts'

const rounds = 3
const connections = 8
const slotMs = 300
/**
 * The gateway is warmed up until its code is compiled, a little on each call in each way in turn; otherwise the first
 * measurements would be slower. The engine is compiled code.
 */
const warmingUp = { slotMs: 100, workedMs: 8_000 }

/**
 * Node calls through the gateway compared with the same calls directly to the engine, in turns, so that a slow phase of
 * the machine affects all of them.
 */
export const bench: Bench = async () => {
  await using world = await openBenchWorld()
  await using generator = startChild('load/load.ts')
  const rows = world.calls.map((call) => ({
    what: call.name,
    ways: world.ways.flatMap(({ name, target, requestOf }) => {
      const request = requestOf(call)
      return request === null ? [] : [{ name, target, request }]
    }),
  }))
  type Asked = (typeof rows)[number]['ways'][number]
  const run = ({ target, request }: Asked, milliseconds: number) =>
    generator.ask<Load>({ target, request, connections, milliseconds })

  const all = rows.flatMap(({ ways }) => ways)
  const began = world.use.processorMs()
  while (world.use.processorMs() - began < warmingUp.workedMs) for (const way of all) await run(way, warmingUp.slotMs)

  const figures: Figure[] = []
  for (const { what, ways } of rows) {
    const loads = await inTurns(ways, rounds, (way) => run(way, slotMs))
    const [floor, ...others] = ways.map((way) => ({ name: way.name, ...perSecondOf(loads.get(way) ?? []) }))
    if (floor === undefined) continue
    for (const { name, ...measured } of others) figures.push({ what, way: name, unit: 'a second', ...measured, floor })
  }
  return figures
}
