import type { Engine } from '../engine/engine.ts'
import { resubmit } from '../pool/resubmit.ts'
import { historyOf } from '../replay/open-from-disk.ts'
import { type Replacement, startReplacement } from '../replay/replay.ts'
import { type ChainState, writable } from './state.ts'

/**
 * Starts a second engine and makes it the chain's engine between two blocks, while blocks go on being produced. Does
 * nothing while there is no snapshot to start it from. A replacement that the closing of the chain ends is no failure.
 */
export function replaceEngine(state: ChainState): Promise<void> {
  state.replacing = replace(state).catch((error: unknown) => {
    if (!state.closed) throw error
  })
  return state.replacing
}

async function replace(state: ChainState): Promise<void> {
  const started = performance.now()
  const logged = () => ({ segment: state.segment, bytes: state.log?.size() ?? 0 })
  const replacement = await startReplacement(state.replay, state.head.number, logged)
  if (!replacement) return
  try {
    // Most blocks are replayed before any caller has to wait.
    await replacement.catchUp()
    const old = await state.queue(() => takeOver(state, replacement, started))
    await old.kill()
  } catch (error) {
    await replacement.state.engine.kill()
    throw error
  }
}

/** Brings the new engine to the head and makes it the current one. Returns the old one. */
async function takeOver(
  state: ChainState,
  { state: restored, catchUp }: Replacement,
  started: number,
): Promise<Engine> {
  const { engine, log } = await writable(state)
  const paused = performance.now()
  const { head, pool } = state
  await log.flush()
  await catchUp()
  if (restored.head.hash !== head.hash)
    throw new Error(`the new engine is at ${restored.head.hash}, not at ${head.hash}`)
  for (const { raw } of pool.all()) await resubmit(restored.engine, raw)
  state.supervisor.replace(restored.engine)
  state.history = historyOf(restored)
  state.emit({
    type: 'engine-replaced',
    block: head.number,
    stateFrom: restored.snapshot ?? 0,
    milliseconds: Math.round(performance.now() - started),
    pausedMilliseconds: Math.round(performance.now() - paused),
  })
  return engine
}
