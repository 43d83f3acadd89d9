import type { Dialect } from './options.ts'

/** A time in milliseconds since 1970 as a parameter of a prepared query. */
export function momentOf(dialect: Dialect, milliseconds: number): string | number {
  return dialect === 'sqlite' ? milliseconds : new Date(milliseconds).toISOString()
}

/** Constants of the code as a list in SQL. Not for values of a request. */
export function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(', ')
}
