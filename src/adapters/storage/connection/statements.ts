import type { Value } from './columns.ts'

/** A unique index refused a row. */
export class UniqueViolation extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause })
  }
}

/** Is notified of statements and commits, so that their number and cost can be seen. */
export type DatabaseWatch = { statement(): void; committed(seconds: number): void }

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

/** The failure, as UniqueViolation where it has one of these codes of the driver. */
export function translated(failure: unknown, unique: readonly string[]): unknown {
  return unique.includes(codeOf(failure)) ? new UniqueViolation(failure as Error) : failure
}

export function codeOf(failure: unknown): string {
  return failure instanceof Error && 'code' in failure ? String(failure.code) : ''
}
