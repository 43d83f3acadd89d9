import type { Head, Log, Subscriber } from './subscribers.ts'
import { logKey, type Truth } from './tally.ts'

/** Compares what subscribers believe after reorganisations with the chain; sums over all subscribers. */
export type Belief = {
  /** Blocks and logs that they missed, or still believe in although they were removed. */
  missed: number
  wrong: number
  /** Heads received twice, and logs received while they were believed already. */
  doubled: number
  /** Removals received twice, and removals of logs that were not believed. */
  removed: number
  unfounded: number
  ended: number
}

/**
 * Applies the received events: a head is placed on its parent and replaces the later ones; a removed log is deleted.
 */
export function beliefOf(subscribers: readonly Subscriber[], truth: Truth): Belief {
  const belief: Belief = { missed: 0, wrong: 0, doubled: 0, removed: 0, unfounded: 0, ended: 0 }
  const first = Number(truth.heads[0]?.number)
  const from = <T extends { number: string } | { blockNumber: string }>(items: readonly T[]) =>
    items.filter((item) => Number('number' in item ? item.number : item.blockNumber) >= first)
  const compare = (believed: Set<string>, expected: string[]) => {
    const known = new Set(expected)
    belief.missed += expected.filter((key) => !believed.has(key)).length
    belief.wrong += [...believed].filter((key) => !known.has(key)).length
  }
  for (const { heads, logs, ended } of subscribers) {
    compare(
      new Set(from(chainOf(heads)).map(({ hash }) => hash)),
      truth.heads.map(({ hash }) => hash),
    )
    belief.doubled += heads.length - new Set(heads.map(({ hash }) => hash)).size
    const { standing, ...counted } = standingLogs(from(logs))
    compare(standing, truth.logs.map(logKey))
    belief.doubled += counted.doubled
    belief.removed += counted.removed
    belief.unfounded += counted.unfounded
    if (ended !== null) belief.ended += 1
  }
  return belief
}

function chainOf(heads: readonly Head[]): Head[] {
  const chain: Head[] = []
  for (const head of heads) {
    const parent = chain.findLastIndex(({ hash }) => hash === head.parentHash)
    chain.splice(parent + 1, chain.length, head)
  }
  return chain
}

function standingLogs(logs: readonly Log[]) {
  const standing = new Set<string>()
  const counted = { doubled: 0, removed: 0, unfounded: 0 }
  for (const log of logs) {
    const key = logKey(log)
    if (log.removed !== true) {
      if (standing.has(key)) counted.doubled += 1
      standing.add(key)
    } else if (standing.delete(key)) counted.removed += 1
    else counted.unfounded += 1
  }
  return { standing, ...counted }
}
