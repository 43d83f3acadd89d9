import { DomainError, StorageOutage } from '../../../domain/core/errors.ts'
import type { Database } from '../connection/database.ts'
import { LeaseLost } from '../connection/fences.ts'
import { statementMs } from '../connection/outages.ts'

/** A confirmation that an execution was begun with. */
export type ConfirmationUse = { userId: number; confirmationId: string }

type Owed = {
  why: string | undefined
  used: ConfirmationUse | undefined
  /** True where the server may still commit what begins the execution, so that finding nothing is not the end. */
  mayAppear: boolean
  /** When it is tried next, the pause after that, and since when the database has answered that there is nothing. */
  at: number
  pauseMs: number
  absentSince: number | undefined
  isTried: boolean
}

/** Milliseconds between two looks at what is owed, and the longest pause between two tries of one discard. */
const [lookMs, longestMs] = [250, 2_000]
/** Discards that run at once, and those that are remembered. Older ones are left to the sweep of abandoned trades. */
const [mostAtOnce, mostOwed] = [4, 10_000]
/** The server itself ends a transaction that its process left open, so that after this none can commit any more. */
const openMs = statementMs + 1_000

/**
 * Discards that the database could not do are done once it responds again: their executions belong to this process, which
 * lives, so that no other one would free their keys before long.
 */
export function owedDiscards(
  database: Database,
  discard: (id: string, why: string | undefined, used: ConfirmationUse | undefined) => Promise<boolean>,
) {
  const owed = new Map<string, Owed>()
  let running = 0
  let timer: NodeJS.Timeout | undefined

  function look(): void {
    for (const [id, entry] of owed) {
      if (running >= mostAtOnce) return
      if (!entry.isTried && entry.at <= performance.now()) void pay(id, entry)
    }
    if (owed.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  async function pay(id: string, entry: Owed): Promise<void> {
    running += 1
    entry.isTried = true
    // The work that noted it may have held a lease, which may be lost by now.
    const isDone = await database
      .fenced(null, async () => await discard(id, entry.why, entry.used))
      .then(
        (ended) => ended || !mayComeYet(entry),
        (failure: unknown) => !isOwed(failure), // whatever else fails would fail again
      )
    running -= 1
    entry.isTried = false
    entry.at = performance.now() + entry.pauseMs
    entry.pauseMs = Math.min(2 * entry.pauseMs, longestMs)
    if (isDone) owed.delete(id)
    look()
  }

  function note(id: string, entry: Pick<Owed, 'why' | 'used' | 'mayAppear'>): void {
    const at = performance.now() + lookMs
    owed.set(id, { ...entry, at, pauseMs: lookMs, absentSince: undefined, isTried: false })
    const [oldest] = owed.keys()
    if (owed.size > mostOwed && oldest !== undefined) owed.delete(oldest)
    timer ??= setInterval(look, lookMs).unref()
  }

  return {
    /** Notes a discard that was cut off. The failure is thrown again. */
    discard: (id: string, why?: string) => (failure: unknown) => {
      if (isOwed(failure)) note(id, { why, used: undefined, mayAppear: false })
      throw failure
    },
    /**
     * Notes the discard of an execution whose beginning was cut off while it was committed: no process continues it, and the
     * confirmation that it used may begin another. The failure is thrown again.
     */
    beginning: (id: string, used?: ConfirmationUse) => (failure: unknown) => {
      if (failure instanceof StorageOutage && failure.mayCommit) note(id, { why: undefined, used, mayAppear: true })
      throw failure
    },
  }
}

/** Work under a lease that was lost is that of the process which has it now. */
function isOwed(failure: unknown): boolean {
  return failure instanceof DomainError && failure.code === 'UNAVAILABLE' && !(failure instanceof LeaseLost)
}

/** A commit may reach the server after a discard that found nothing, while its transaction is open. */
function mayComeYet(entry: Owed): boolean {
  entry.absentSince ??= performance.now()
  return entry.mayAppear && performance.now() - entry.absentSince < openMs
}
