import { setTimeout as sleep } from 'node:timers/promises'
import type { Numbers, SoakWorld } from '../world.ts'
import type { Windows } from './windows.ts'

/** An injected fault; it ends once everything has recovered or, for a permanent one, with the soak. */
export type Fault = (injection: { world: SoakWorld; windows: Windows; numbers: Numbers }) => Promise<void>

/** Waits so long, or until the traffic ends. */
export async function pause({ over }: SoakWorld, milliseconds: number): Promise<void> {
  await sleep(Math.max(0, milliseconds), undefined, { signal: over }).catch(() => undefined)
}
