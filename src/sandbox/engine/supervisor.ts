import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { SerialQueue } from '../../kit/queues.ts'
import { asError, type Emit } from '../kit/events.ts'
import { engineUnavailable, RpcError } from '../kit/rpc-error.ts'
import type { StartEngine } from './chain-folder.ts'
import type { Engine } from './engine.ts'

/** Keeps one engine running for a chain: when it exits, another is started. */
export type EngineSupervisor = {
  /** The running engine, started first if there is none. To be called from inside the chain's queue only. */
  ready: () => Promise<Engine>
  /** The running engine, started first if there is none, for callers outside the chain's queue. */
  available: () => Promise<Engine>
  /** The current engine, running or not. Rejects where the last start failed. */
  current: () => Promise<Engine>
  /** Resident memory of the engine in bytes; 0 while there is none. */
  memory: () => Promise<number>
  /** Makes another engine the current one. */
  replace: (engine: Engine) => void
  /** Starts no further engine. */
  close: () => void
}

/** Milliseconds after a failed start in which no caller starts another engine. */
const retryAfterMs = 1_000

/** Starts an engine with `start`, and again whenever it has exited. `start` runs in the queue, except the first time. */
export function superviseEngine(options: {
  start: () => Promise<Engine>
  queue: SerialQueue
  emit: Emit
}): EngineSupervisor {
  const { start, queue, emit } = options
  let closed = false
  let retryAt = 0
  let engine = start().then(watch)

  function watch(started: Engine): Engine {
    void started.exited.then(() => {
      if (!closed) void queue(ready).catch(() => {})
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
    engine = start().then(watch)
    engine.catch((thrown: unknown) => {
      retryAt = performance.now() + retryAfterMs
      emit({ type: 'restore-failed', error: asError(thrown) })
    })
    return await engine
  }

  return {
    ready,
    available: async () => {
      demandOpen()
      const current = await engine.catch(() => undefined)
      return current?.alive() ? current : await queue(ready)
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

/** All engine processes of a chain: the current one, and at times its replacement. */
export type RunningEngines = {
  start: StartEngine
  /** Ends all of them, including those that are still starting. */
  end: () => Promise<void>
}

/** Tracks every engine that is started, so that none outlives the chain. */
export function trackEngines(start: StartEngine): RunningEngines {
  const running = new Set<Engine>()
  let ended = false
  return {
    start: async (states, niceness) => {
      const engine = await start(states, niceness)
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

/** The resident memory of a process in bytes; 0 where it cannot be read. */
async function residentBytes(pid: number): Promise<number> {
  try {
    if (process.platform === 'linux') {
      const status = await readFile(`/proc/${pid}/status`, 'utf8')
      return 1_024 * Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0)
    }
    const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)])
    return 1_024 * Number(stdout) || 0
  } catch {
    return 0
  }
}
