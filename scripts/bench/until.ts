import { setTimeout as sleep } from 'node:timers/promises'

/** Waits until something holds, looking every 5 ms. Throws where that takes more than 60 s. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = performance.now() + 60_000; !(await holds()); await sleep(5))
    if (performance.now() > deadline) throw new Error(`Waited 60 s in vain for ${what}.`)
}
