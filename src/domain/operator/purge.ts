import type { Ports } from '../ports/index.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/**
 * How long is kept what nothing but memory needs. Executions, books and the audit log are kept for good. A key serves one
 * trade for its time, and another one after that; of a settled trade its transactions and the journal of its moves go,
 * and what it came to stays; an answer can be read again from its pieces while they are there, and stays in the history.
 */
const keptMs = {
  quotes: dayMs,
  keys: 30 * dayMs,
  transactions: 30 * dayMs,
  moves: 30 * dayMs,
  chatStreams: 7 * dayMs,
} as const

/** Rows of one deletion: a database of one connection is never away for long. Answers have many pieces each. */
const most = { quotes: 500, keys: 500, transactions: 500, moves: 500, chatStreams: 50 } as const

/** Deletions of one run, and the rest between two of them. */
const batches = 100
const restMs = 20

type Needs = Pick<Ports, 'chatStreams' | 'clock' | 'executions' | 'outbox' | 'quotes'>

/** Makes what forgets old rows, once an hour however often it is asked, and soon again while there is more. */
export function createPurge({ chatStreams, clock, executions, outbox, quotes }: Needs, pauseMs = restMs) {
  const purges = {
    quotes: quotes.purge,
    keys: executions.freeKeys,
    transactions: outbox.purge,
    moves: executions.purgeMoves,
    chatStreams: chatStreams.purge,
  } as const satisfies Record<keyof typeof keptMs, (before: Date, limit: number) => Promise<number>>
  let next = 0

  return async (): Promise<void> => {
    const now = clock.now().getTime()
    if (now < next) return
    next = now + hourMs
    for (const [name, purge] of Object.entries(purges) as [keyof typeof purges, (typeof purges)['quotes']][]) {
      const before = new Date(now - keptMs[name])
      let done = 0
      while (done < batches && (await purge(before, most[name])) === most[name]) {
        done += 1
        await clock.wait(pauseMs)
      }
      if (done === batches) next = now + minuteMs
    }
  }
}
