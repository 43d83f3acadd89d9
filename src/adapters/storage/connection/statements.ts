import { DomainError, StorageBusy } from '../../../domain/core/errors.ts'
import type { Value } from './columns.ts'

/** A unique index refused a row. */
export class UniqueViolation extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause })
  }
}

/**
 * Is notified of statements and commits, so that their number and cost can be seen: how long a commit took with the disk,
 * and how much of that the event loop was held.
 */
export type DatabaseWatch = {
  statement(): void
  committed(seconds: number, heldSeconds: number): void
  /** The server does not respond from now on; `seconds` is null. Or it responds again, after so many. */
  outage?(event: { failure: unknown; seconds: number | null }): void
  /** The server responds, but a limit ended a statement, or no connection was free. */
  busy?(failure: unknown): void
}

/** Statements of one connection, prepared once each. */
export type Statements = {
  /** The rows as lists in the order of the selected columns. */
  lists(sql: string, values: readonly Value[]): Promise<unknown[][]>
  /** The rows as objects with the names of the selected columns. */
  objects(sql: string, values: readonly Value[]): Promise<object[]>
  /** `id` is what the database assigned to an inserted row. Throws UniqueViolation. */
  run(sql: string, values: readonly Value[]): Promise<{ changes: number; id: number }>
}

/** Runs work in a transaction. An error rolls it back and is thrown again. */
export type Transactions = <T>(work: (statements: Statements) => Promise<T>) => Promise<T>

/** Codes of both drivers that the disk is full or fails. */
const diskFailure = /^(SQLITE_FULL|SQLITE_IOERR.*|53100|58030)$/

/** The failure of a driver as UniqueViolation, or as UNAVAILABLE where the disk fails; others as they are. */
export function translated(failure: unknown): unknown {
  const code = codeOf(failure)
  if (['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY', '23505'].includes(code))
    return new UniqueViolation(failure as Error)
  // Another process kept the lock of SQLite for all the time that a transaction waits.
  if (code.startsWith('SQLITE_BUSY')) return new StorageBusy(failure)
  if (!diskFailure.test(code)) return failure
  const message = 'Nothing can be stored now, because the disk of the gateway is full or fails. Try again later.'
  return new DomainError('UNAVAILABLE', message, {}, failure)
}

export function codeOf(failure: unknown): string {
  return failure instanceof Error && 'code' in failure ? String(failure.code) : ''
}
