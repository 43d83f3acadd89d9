import type { Engine } from '../engine/engine.ts'
import { residentBytes } from '../engine/memory.ts'
import { asError, type Emit } from '../kit/events.ts'
import type { exclusiveLane } from '../kit/exclusive.ts'
import { engineUnavailable, RpcError } from '../kit/rpc-error.ts'

/** The engine at work on a chain: one that is gone is followed by another. */
export type KeptEngine = {
  /** The engine, raised first if it is gone. In the lane only. */
  ready: () => Promise<Engine>
  /** The same from outside of the lane. */
  available: () => Promise<Engine>
  /** The engine as it stands. Throws where the last one could not be raised. */
  current: () => Promise<Engine>
  /** The bytes of memory that it holds; 0 while there is none. */
  memory: () => Promise<number>
  /** Puts another one in its place. */
  replace: (engine: Engine) => void
  /** Raises no further one. */
  close: () => void
}

/** Keeps every caller from starting an engine of its own while none can be brought up. */
const pauseMs = 1_000

/** Raises an engine, and another whenever it is gone. `raise` runs in the lane only, save the first time. */
export function keepEngine(options: {
  raise: () => Promise<Engine>
  lane: ReturnType<typeof exclusiveLane>
  emit: Emit
}): KeptEngine {
  const { raise, lane, emit } = options
  let closed = false
  let retryAt = 0
  let engine = raise().then(watch)

  function watch(started: Engine): Engine {
    void started.exited.then(() => {
      if (!closed) void lane(ready).catch(() => {})
    })
    return started
  }

  function demandOpen(): void {
    if (closed) throw new RpcError(-32002, 'the sandbox is closed')
  }

  async function ready(): Promise<Engine> {
    demandOpen()
    const current = await engine.catch(() => undefined)
    if (current?.alive()) return current
    if (performance.now() < retryAt) throw engineUnavailable()
    engine = raise().then(watch)
    engine.catch((thrown: unknown) => {
      retryAt = performance.now() + pauseMs
      emit({ type: 'restore-failed', error: asError(thrown) })
    })
    return await engine
  }

  return {
    ready,
    available: async () => {
      demandOpen()
      const current = await engine.catch(() => undefined)
      return current?.alive() ? current : await lane(ready)
    },
    current: () => engine,
    memory: async () => {
      const current = await engine.catch(() => undefined)
      return current ? await residentBytes(current.pid) : 0
    },
    replace: (next) => {
      engine = Promise.resolve(watch(next))
    },
    close: () => {
      closed = true
    },
  }
}
