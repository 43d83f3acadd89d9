import { feedMs } from '../ports/account-feed.ts'
import { deletedAccountMs, knownAddressMs } from '../ports/accounts.ts'
import type { Ports } from '../ports/index.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** Old rows of one kind: how they are deleted, at which age, and how many at a time, so that none waits long. */
type Kind = { purge: (before: Date, limit: number) => Promise<number>; ageMs: number; batch: number }

type Needs = Pick<
  Ports,
  | 'accountFeed'
  | 'accounts'
  | 'chatStreams'
  | 'clock'
  | 'executions'
  | 'knownAddresses'
  | 'ledger'
  | 'messages'
  | 'outbox'
  | 'quotes'
>

/**
 * Executions, books and the audit log are never deleted. After its age an idempotency key can be used for another trade. A
 * settled trade loses its transactions and its state changes, but not its result. A chat reply can be streamed again until
 * its events are deleted, and stays in the history as long as messages are kept.
 */
function kindsOf(
  { accountFeed, accounts, chatStreams, executions, knownAddresses, ledger, messages, outbox, quotes }: Needs,
  messageDays: number,
): Kind[] {
  const messageMs = messageDays * dayMs
  return [
    { purge: quotes.purge, ageMs: hourMs, batch: 500 },
    { purge: executions.freeKeys, ageMs: 30 * dayMs, batch: 500 },
    { purge: executions.purgeConfirmations, ageMs: 30 * dayMs, batch: 500 },
    { purge: executions.purgeRejected, ageMs: 30 * dayMs, batch: 500 },
    { purge: (before, limit) => ledger.purgeSnapshots('hour', before, limit), ageMs: 7 * dayMs, batch: 500 },
    { purge: (before, limit) => ledger.purgeSnapshots('day', before, limit), ageMs: 366 * dayMs, batch: 500 },
    { purge: outbox.purge, ageMs: 30 * dayMs, batch: 500 },
    { purge: accountFeed.purge, ageMs: feedMs, batch: 500 },
    // After the events that show them.
    { purge: executions.purgeMoves, ageMs: feedMs + dayMs, batch: 500 },
    // A stream has many events.
    { purge: chatStreams.purge, ageMs: Math.min(7 * dayMs, messageMs), batch: 50 },
    { purge: accounts.purge, ageMs: deletedAccountMs, batch: 50 },
    { purge: knownAddresses.purge, ageMs: knownAddressMs, batch: 500 },
    ...(Number.isFinite(messageMs) ? [{ purge: messages.purge, ageMs: messageMs, batch: 500 }] : []),
  ]
}

/** The most deletions of one run, and the pause between two of them. */
const maxBatches = 100
const batchPauseMs = 20

/**
 * Returns a function that deletes old rows, messages after `messageDays`. It runs at most once an hour, or once a minute
 * while rows remain.
 */
export function createPurge(ports: Needs, messageDays = Number.POSITIVE_INFINITY, pauseMs = batchPauseMs) {
  const { clock } = ports
  const kinds = kindsOf(ports, messageDays)
  let next = 0

  return async (): Promise<void> => {
    const now = clock.now().getTime()
    if (now < next) return
    next = now + hourMs
    for (const { purge, ageMs, batch } of kinds) {
      const before = new Date(now - ageMs)
      let done = 0
      while (done < maxBatches && (await purge(before, batch)) === batch) {
        done += 1
        await clock.wait(pauseMs)
      }
      if (done === maxBatches) next = now + minuteMs
    }
  }
}
