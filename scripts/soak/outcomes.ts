/** What came of a request; times are those of `performance.now()`. */
export type Seen = {
  operation: string
  protocol: string
  /** `OK`, a code of the contract or of JSON-RPC, or `no answer`. */
  code: string
  since: number
  words?: string
  /** The fault that whoever asked was itself, such as a cut; absent where it is looked for. */
  cause?: string
}

/** Errors of a kind, and the fault that they come from; null is nobody's. */
export type ErrorRow = Omit<Seen, 'since' | 'cause'> & { count: number; cause: string | null }

export type Outcomes = {
  note(seen: Seen): void
  /** Something that must hold and does not. */
  broken(what: string): void
  requests(): number
  /** Errors with a cause, and those without one. */
  errors(): { expected: number; unexpected: number }
  rows(): ErrorRow[]
  breaches(): readonly string[]
}

/** More of the same say nothing new. */
const mostBreaches = 50

/** Counts what is seen; an error without a cause of its own is given to the fault that `causeOf` names. */
export function createOutcomes(causeOf: (seen: Seen) => string | null): Outcomes {
  const rows = new Map<string, ErrorRow>()
  const breaches: string[] = []
  let requests = 0
  const sum = (some: (row: ErrorRow) => boolean) =>
    [...rows.values()].filter(some).reduce((total, { count }) => total + count, 0)
  return {
    note(seen) {
      requests += 1
      if (seen.code === 'OK') return
      const { operation, protocol, code, words } = seen
      const cause = seen.cause ?? causeOf(seen)
      const key = [operation, protocol, code, cause].join(' ')
      const row = rows.get(key) ?? { operation, protocol, code, cause, count: 0, ...(words !== undefined && { words }) }
      row.count += 1
      rows.set(key, row)
    },
    broken(what) {
      if (breaches.length < mostBreaches) breaches.push(what)
    },
    requests: () => requests,
    errors: () => ({ expected: sum(({ cause }) => cause !== null), unexpected: sum(({ cause }) => cause === null) }),
    rows: () => [...rows.values()],
    breaches: () => breaches,
  }
}
