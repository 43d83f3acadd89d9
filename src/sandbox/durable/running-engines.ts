import type { StartEngine } from '../engine/chain-folder.ts'
import type { Engine } from '../engine/engine.ts'

/** The engines of a chain: one at work, and at times one that is being readied beside it. */
export type RunningEngines = {
  start: StartEngine
  /** Ends them all, also those that are only just starting. */
  end: () => Promise<void>
}

/** Keeps track of every engine that is started, so that none outlives the chain. */
export function trackEngines(start: StartEngine): RunningEngines {
  const running = new Set<Engine>()
  let ended = false
  return {
    start: async (states) => {
      const engine = await start(states)
      running.add(engine)
      void engine.exited.then(() => running.delete(engine))
      if (ended) await engine.kill()
      return engine
    },
    end: async () => {
      ended = true
      await Promise.all([...running].map((engine) => engine.kill()))
    },
  }
}
