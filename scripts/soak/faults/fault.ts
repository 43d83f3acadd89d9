import { setTimeout as sleep } from 'node:timers/promises'
import type { Numbers, SoakWorld } from '../world.ts'
import type { Windows } from './windows.ts'

/** Something that goes wrong on purpose; it ends once all is whole again, or, where it only holds on, with the soak. */
export type Fault = (injection: { world: SoakWorld; windows: Windows; numbers: Numbers }) => Promise<void>

/** Waits so long, or until no more traffic is wanted. */
export async function pause({ over }: SoakWorld, milliseconds: number): Promise<void> {
  await sleep(Math.max(0, milliseconds), undefined, { signal: over }).catch(() => undefined)
}
