import { fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { exitOf } from '../gateway-process.ts'
import type { Load, Slot } from './load.ts'
import { createResults } from './results.ts'
import { openBenchWorld } from './world.ts'

/**
 * Measures calls of the node through the gateway against the same calls straight to the engine, in turns, so that a
 * machine that is slow for a while is slow for all of them. Prints one table; takes about two minutes.
 */
const rounds = 5
const connections = 8
const milliseconds = 250

const started = performance.now()
const generator = fork(new URL('load.ts', import.meta.url))
try {
  await using world = await openBenchWorld()
  const results = createResults(world.ways)
  for (let round = -1; round < rounds; round += 1) {
    for (const call of world.calls) {
      for (const index of world.ways.keys()) {
        const way = world.ways[(index + round + 1) % world.ways.length]
        if (way === undefined) continue
        const load = await loadOf({ target: way.target, request: way.request(call), connections, milliseconds })
        if (round >= 0) results.add(call.name, way, load) // the first round warms up
      }
    }
  }
  console.log(results.table())
  const seconds = Math.round((performance.now() - started) / 1_000)
  const slots = `medians of ${rounds} slots of ${milliseconds} ms, ${connections} connections`
  console.log(`\n${slots}, ${availableParallelism()} processors, ${seconds} s in all`)
} finally {
  generator.kill()
  await exitOf(generator)
}

function loadOf(slot: Slot): Promise<Load> {
  return new Promise((resolve, reject) => {
    generator.once('message', (answer: Load | { failed: string }) =>
      'failed' in answer ? reject(new Error(answer.failed)) : resolve(answer),
    )
    generator.send(slot)
  })
}
