import { setTimeout as sleep } from 'node:timers/promises'
import { pause } from './faults/fault.ts'
import type { Life } from './life.ts'
import type { Vitals } from './vitals.ts'

/**
 * When everything is brought to rest, as shares of the time; before the first, code is compiled and connections are
 * open.
 */
const rests = [0.25, 0.5, 0.75]
/** A shorter run does not bring the gateway to rest, so it shows nothing about growth. */
const leastSeconds = 300
/** Seconds after which abandoned connections are closed, and the last requests have their responses. */
const calmMs = 2_000
/** Seconds after which unused connections of the gateway, such as those to providers, are closed. */
const settleMs = 10_000

/** Measures at intervals until the traffic ends. */
export async function lookOn({ look, world }: Life, during: Vitals[], pauseMs: number): Promise<void> {
  for (; !world.over.aborted; await pause(world, pauseMs)) during.push(await look())
}

/** Measures a few times at rest: what is held then stays. */
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

/** Waits until as few connections are open as at the beginning, or until the timeout, and measures. */
export async function lookWhenSettled({ look }: Life, idle: Vitals): Promise<Vitals> {
  let settled = await look()
  for (const until = Date.now() + settleMs; settled.descriptors > idle.descriptors && Date.now() < until; ) {
    await sleep(500)
    settled = await look()
  }
  return settled
}
