/** The outcome of a request; times are those of `performance.now()`. */
export type Seen = {
  operation: string
  protocol: string
  /** `OK`, a code of the contract or of JSON-RPC, or `no answer`. */
  code: string
  since: number
  words?: string
  /** The fault that the caller caused itself, such as a cut; absent where the fault is yet unknown. */
  cause?: string
}

/** Errors of one kind, and the fault that explains them; null where none does. */
type ErrorRow = Pick<Seen, 'operation' | 'protocol' | 'code'> & { count: number; cause: string | null }

export type Outcomes = {
  note(seen: Seen): void
  /** An invariant that does not hold. */
  broken(what: string): void
  requests(): number
  /** Errors with a cause, and those without one. */
  errors(): { expected: number; unexpected: number }
  rows(): ErrorRow[]
  breaches(): number
}

/** The most violated invariants that are printed. */
const mostTold = 50

type OutcomesOptions = {
  /** The fault that explains an error which names none itself. */
  causeOf(seen: Seen): string | null
  /** Later errors do not count, since an interrupt cuts off every call. */
  interrupted: AbortSignal
}

/** Counts the outcomes, and logs unexpected ones at once. */
export function createOutcomes({ causeOf, interrupted }: OutcomesOptions): Outcomes {
  const rows = new Map<string, ErrorRow>()
  let breaches = 0
  let requests = 0
  const sum = (some: (row: ErrorRow) => boolean) =>
    [...rows.values()].filter(some).reduce((total, { count }) => total + count, 0)
  return {
    note(seen) {
      if (interrupted.aborted) return
      requests += 1
      if (seen.code === 'OK') return
      const { operation, protocol, code, words } = seen
      const cause = seen.cause ?? causeOf(seen)
      if (cause === null) console.log(`UNEXPECTED ${operation} over ${protocol}: ${code} ${words ?? ''}`)
      const key = [operation, protocol, code, cause].join(' ')
      const row = rows.get(key) ?? { operation, protocol, code, cause, count: 0 }
      row.count += 1
      rows.set(key, row)
    },
    broken(what) {
      if (interrupted.aborted) return
      breaches += 1
      if (breaches <= mostTold) console.log(`BROKEN ${what}`)
    },
    requests: () => requests,
    errors: () => ({ expected: sum(({ cause }) => cause !== null), unexpected: sum(({ cause }) => cause === null) }),
    rows: () => [...rows.values()],
    breaches: () => breaches,
  }
}
