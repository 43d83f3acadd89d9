import type { NodeCaller } from '../../domain/ports/node.ts'

/** Who reads: the gateway for itself, or a stranger. Neither waits for the other one. */
export type Lane = 'own' | 'public'

/** One read. Work of which the signal says that nobody waits for it is dropped. */
export type EngineRead = {
  lane: Lane
  block: number
  prepared?: Prepared | undefined
  caller?: NodeCaller | undefined
  signal?: AbortSignal | undefined
}

/** Work on a fork before it is read, such as mining a block again. It is not repeated where its name was the last. */
export type Prepared = { name: string; work: (call: Run) => Promise<void> }

/** Calls a method of an engine for one read. */
export type Run = (method: string, params?: unknown) => Promise<unknown>

/** What one read that runs code may cost: the gas of its calls together, and the seconds of its run. */
export type ReadBounds = { gas: number; seconds: number }

export type ReadLimits = {
  /** Forks of one lane. */
  forks: number
  /** Reads that wait for a fork of one lane, and how long. */
  waiting: number
  waitMs: number
  /** After this time of a run its fork takes no further reads until it is idle. */
  slowMs: number
  /** The longest read: the time of its runs together. */
  runMs: number
}

/** The limits of every chain; the setting for the time of a run replaces the last one. */
export const usualLimits: ReadLimits = { forks: 3, waiting: 64, waitMs: 5_000, slowMs: 250, runMs: 5_000 }
