import { createKeyedTasks } from '../../kit/keyed-tasks.ts'
import type { Chain, Chains } from '../ports/chains.ts'
import type { Clock } from '../ports/system.ts'
import type { Worker } from './worker.ts'

/**
 * Periodic work in addition to the transactions themselves. A job of kind `chain` runs for each chain, a `process` job
 * once for all.
 */
export type Job = { name: string; scope: 'chain' | 'process'; run(chain: Chain): Promise<void> }

type ScheduleParts = {
  chains: Pick<Chains, 'all'>
  worker: Pick<Worker, 'onBlock' | 'processAccounts'>
  jobs: readonly Job[]
  clock: Pick<Clock, 'every'>
  /** Milliseconds between looks for work that another process left; null where no other process shares the database. */
  patrolMs: number | null
  /** Receives failures of jobs, which run again at the next block. */
  failed: (failure: unknown) => void
}

/** Starts the worker and the jobs at each block, at each patrol and once now. Slow work delays only itself. */
export function startSchedule({ chains, worker, jobs, clock, patrolMs, failed }: ScheduleParts) {
  const tasks = createKeyedTasks(Number.POSITIVE_INFINITY, failed)
  const runAll = (chain: Chain) => {
    worker.onBlock(chain)
    for (const { name, scope, run } of jobs)
      tasks.schedule(scope === 'chain' ? `${name} ${chain.info.id}` : name, async () => await run(chain))
  }
  const stops = chains.all.flatMap((chain) => {
    const onBlock = chain.onBlock(() => runAll(chain))
    const patrol = patrolMs === null ? [] : [clock.every(patrolMs, () => runAll(chain))]
    runAll(chain)
    // What an earlier process left is continued before all blocks of its transactions are read again.
    worker.processAccounts(chain)
    return [onBlock, ...patrol]
  })
  return {
    /** Starts nothing new and waits for the jobs that run. */
    async close(): Promise<void> {
      for (const stop of stops) stop()
      await tasks.close()
    },
  }
}
