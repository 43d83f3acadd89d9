import { startChild } from './child.ts'
import type { Load, Slot } from './load.ts'

export type LoadProcess = AsyncDisposable & { run(slot: Slot): Promise<Load> }

/** Starts the process that asks; one slot at a time. A slot whose requests are refused throws. */
export function startLoadProcess(): LoadProcess {
  const child = startChild('load.ts')
  return { run: (slot) => child.ask<Load>(slot), [Symbol.asyncDispose]: () => child[Symbol.asyncDispose]() }
}
