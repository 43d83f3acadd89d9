import { setTimeout as sleep } from 'node:timers/promises'
import { pause } from './faults/fault.ts'
import type { Life } from './life.ts'
import type { Vitals } from './vitals.ts'

/**
 * When all is brought to rest, in shares of the time; by the first of them code is compiled, and connections are open.
 */
const rests = [0.25, 0.5, 0.75]
/** In less time the gateway does not come to rest: so short a run shows nothing about growth. */
const leastSeconds = 300
/** Connections that were left are closed by then, and what was sent last is answered. */
const calmMs = 2_000
/** Unused connections of the gateway, such as those to its providers, are closed by then. */
const settleMs = 10_000

/** Looks now and then until no more traffic is wanted. */
export async function lookOn({ look, world }: Life, during: Vitals[], pauseMs: number): Promise<void> {
  for (; !world.over.aborted; await pause(world, pauseMs)) during.push(await look())
}

/** Looks a few times while nothing is under way: what is held then stays. */
export async function lookAtRest({ look, world }: Life, atRest: Vitals[], seconds: number): Promise<void> {
  const begun = performance.now()
  for (const share of seconds < leastSeconds ? [] : rests) {
    await pause(world, begun + share * seconds * 1_000 - performance.now())
    if (world.over.aborted) return
    await world.turnstile.atRest(async () => {
      await sleep(calmMs)
      atRest.push(await look())
    })
  }
}

/** Waits until as little is open as at the beginning, or no longer than that may take, and looks. */
export async function lookWhenSettled({ look }: Life, idle: Vitals): Promise<Vitals> {
  let settled = await look()
  for (const until = Date.now() + settleMs; settled.descriptors > idle.descriptors && Date.now() < until; ) {
    await sleep(500)
    settled = await look()
  }
  return settled
}
