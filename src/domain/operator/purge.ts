import { deletedAccountMs } from '../ports/accounts.ts'
import type { Ports } from '../ports/index.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/**
 * How long old rows are retained. Executions, books and the audit log are never deleted. After this time an idempotency key
 * can be used for another trade. A settled trade loses its transactions and its state changes, but not its result. A chat
 * reply can be streamed again until its events are deleted, and stays in the history.
 */
const retentionMs = {
  quotes: dayMs,
  keys: 30 * dayMs,
  transactions: 30 * dayMs,
  moves: 30 * dayMs,
  chatStreams: 7 * dayMs,
  deletedAccounts: deletedAccountMs,
} as const

/** Rows of one deletion, few enough not to block a database with one connection. A chat stream has many events. */
const batchSizes = {
  quotes: 500,
  keys: 500,
  transactions: 500,
  moves: 500,
  chatStreams: 50,
  deletedAccounts: 50,
} as const

/** The most deletions of one run, and the pause between two of them. */
const maxBatches = 100
const batchPauseMs = 20

type Needs = Pick<Ports, 'accounts' | 'chatStreams' | 'clock' | 'executions' | 'outbox' | 'quotes'>

/** Returns a function that deletes old rows. It runs at most once an hour, or once a minute while rows remain. */
export function createPurge(
  { accounts, chatStreams, clock, executions, outbox, quotes }: Needs,
  pauseMs = batchPauseMs,
) {
  const purges = {
    quotes: quotes.purge,
    keys: executions.freeKeys,
    transactions: outbox.purge,
    moves: executions.purgeMoves,
    chatStreams: chatStreams.purge,
    deletedAccounts: accounts.purge,
  } as const satisfies Record<keyof typeof retentionMs, (before: Date, limit: number) => Promise<number>>
  let next = 0

  return async (): Promise<void> => {
    const now = clock.now().getTime()
    if (now < next) return
    next = now + hourMs
    for (const [name, purge] of Object.entries(purges) as [keyof typeof purges, (typeof purges)['quotes']][]) {
      const before = new Date(now - retentionMs[name])
      let done = 0
      while (done < maxBatches && (await purge(before, batchSizes[name])) === batchSizes[name]) {
        done += 1
        await clock.wait(pauseMs)
      }
      if (done === maxBatches) next = now + minuteMs
    }
  }
}
