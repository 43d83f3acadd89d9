import type { Engine } from '../engine/engine.ts'
import type { Emit } from '../kit/events.ts'
import type { AppendLog } from './append-log.ts'
import { offer } from './offer.ts'
import type { LogPlace } from './read-log.ts'
import type { Head } from './records.ts'
import { type ReplayOptions, type Restored, raiseSuccessor } from './replay.ts'
import type { WaitingPool } from './waiting.ts'

/** Runs work on a chain while no block is being made. */
export type Standing = <T>(work: (chain: StandingChain) => Promise<T>) => Promise<T>

type StandingChain = { engine: Engine; log: AppendLog; head: Head; pool: Pick<WaitingPool, 'all'> }

/**
 * Raises a second engine beside the one at work, and puts it in its place between two blocks. Answers without doing
 * anything while there is no snapshot to raise it from.
 */
export async function recycleEngine(options: {
  rebuilding: ReplayOptions
  head: number
  logged: () => LogPlace
  standing: Standing
  takeOver: (successor: Restored) => void
  emit: Emit
}): Promise<void> {
  const { rebuilding, head: latest, logged, standing, takeOver, emit } = options
  const started = performance.now()
  const successor = await raiseSuccessor(rebuilding, latest, logged)
  if (!successor) return
  const { state, catchUp } = successor
  try {
    // Most of what was sealed meanwhile is made up before anybody has to wait for it.
    await catchUp()
    const old = await standing(async ({ engine, log, head, pool }) => {
      const waited = performance.now()
      await log.flush()
      await catchUp()
      if (state.head.hash !== head.hash) throw new Error(`the new engine came to ${state.head.hash}, not ${head.hash}`)
      for (const { raw } of pool.all()) await offer(state.engine, raw)
      takeOver(state)
      emit({
        type: 'engine-recycled',
        block: head.number,
        stateFrom: state.snapshot ?? 0,
        milliseconds: Math.round(performance.now() - started),
        pausedMilliseconds: Math.round(performance.now() - waited),
      })
      return engine
    })
    await old.kill()
  } catch (error) {
    await state.engine.kill()
    throw error
  }
}
