import { createKeyedTasks } from '../../kit/keyed-tasks.ts'
import type { Chain, Chains } from '../ports/chains.ts'
import type { Workers } from '../ports/outbox.ts'
import type { Clock } from '../ports/system.ts'
import { alone } from './alone.ts'
import type { Worker } from './worker.ts'

/**
 * Periodic work in addition to the transactions themselves. A job of kind `chain` runs for each chain, a `process` job
 * once for all.
 */
export type Job = { name: string; scope: 'chain' | 'process'; run(chain: Chain): Promise<void> }

/** Milliseconds between looks of those that stand by whether the process that watches has ended. */
const standByMs = 500

type ScheduleParts = {
  chains: Pick<Chains, 'all'>
  worker: Pick<Worker, 'onBlock' | 'processAccounts'>
  jobs: readonly Job[]
  clock: Pick<Clock, 'every'>
  /** Milliseconds between looks for work that another process left; null where no other process shares the database. */
  patrolMs: number | null
  /** The processes that share the database; none others where it is absent. */
  workers?: Workers
  /** Receives failures of jobs, which run again at the next block. */
  failed: (failure: unknown) => void
}

/**
 * Starts the worker and the jobs at each block, at each patrol and once now, in the one process that watches the chain; the
 * others only take the steps that they are woken for. Slow work delays only itself.
 */
export function startSchedule({ chains, worker, jobs, clock, patrolMs, failed, workers = alone }: ScheduleParts) {
  const tasks = createKeyedTasks(Number.POSITIVE_INFINITY, failed)
  const runAll = (chain: Chain) => {
    worker.onBlock(chain)
    for (const { name, scope, run } of jobs)
      tasks.schedule(scope === 'chain' ? `${name} ${chain.info.id}` : name, () =>
        workers.asWatcher(chain.info.id, async () => await run(chain)),
      )
  }
  const watched = new Set<number>()
  const look = (chain: Chain) => {
    const { id } = chain.info
    if (patrolMs === null) return runAll(chain)
    tasks.schedule(`watch ${id}`, async () => {
      const isMine = await workers.watches(id)
      // What the process before left is continued before all blocks of its transactions are read again.
      if (isMine && !watched.has(id)) worker.processAccounts(chain)
      if (isMine) watched.add(id)
      else watched.delete(id)
      if (isMine) runAll(chain)
    })
  }
  const standBy = (chain: Chain) => {
    if (!watched.has(chain.info.id)) look(chain)
  }
  const stops = chains.all.flatMap((chain) => {
    const onBlock = chain.onBlock(() => look(chain))
    const onWake = workers.onWake(chain.info.id, () => worker.processAccounts(chain))
    const patrols =
      patrolMs === null ? [] : [clock.every(patrolMs, () => look(chain)), clock.every(standByMs, () => standBy(chain))]
    look(chain)
    worker.processAccounts(chain)
    return [onBlock, onWake, ...patrols]
  })
  return {
    /** Starts nothing new and waits for the jobs that run. */
    async close(): Promise<void> {
      for (const stop of stops) stop()
      await tasks.close()
    },
  }
}
