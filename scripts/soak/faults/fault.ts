import type { Numbers, SoakWorld } from '../world.ts'
import type { Windows } from './windows.ts'

/** Something that goes wrong on purpose; it ends once all is whole again, or, where it only holds on, with the soak. */
export type Fault = (injection: { world: SoakWorld; windows: Windows; numbers: Numbers }) => Promise<void>

/** Waits so long, or until no more traffic is wanted. */
export async function pause({ over }: SoakWorld, milliseconds: number): Promise<void> {
  if (over.aborted) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, milliseconds)
  over.addEventListener('abort', () => resolve(), { once: true })
  await promise
  clearTimeout(timer)
}
