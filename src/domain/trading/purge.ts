import type { Ports } from '../ports.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** An idempotency key serves one trade for so long, and another one after that. */
const keyLifeMs = 30 * dayMs

/** Makes what forgets, once an hour however often it is asked, quotes that ran out a day ago and keys that are old. */
export function createPurge({ clock, executions, quotes }: Pick<Ports, 'clock' | 'executions' | 'quotes'>) {
  let next = 0
  return async (): Promise<void> => {
    const now = clock.now().getTime()
    if (now < next) return
    next = now + hourMs
    await quotes.purge(new Date(now - dayMs))
    await executions.freeKeys(new Date(now - keyLifeMs))
  }
}
