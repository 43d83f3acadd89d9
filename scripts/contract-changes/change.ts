import type { Deprecation } from '../../src/contract/deprecation.ts'

/** `breaking` is what a caller written against the version before may not survive. */
export type Level = 'breaking' | 'deprecated' | 'added' | 'changed'

/** `subject` is the id of an operation, a table that all share, or `protobuf`. */
export type Change = { subject: string; level: Level; text: string; end?: End | undefined }

/** How the version before announced the end of what is gone; null where it did not. */
export type End = Deprecation | null

/** True where nothing breaks callers of the version before, or a major version says that it may. */
export function mayFollow(before: string, after: string, changes: readonly Change[]): boolean {
  const major = (version: string) => Number(version.split('.')[0])
  return major(after) > major(before) || changes.every(({ level }) => level !== 'breaking')
}

/** What may not be gone on a day, whatever the version: its end was not announced, or is a later day. */
export function goneTooEarly(changes: readonly Change[], day: string): Change[] {
  return changes.filter(({ end }) => end === null || (end?.sunset ?? day) > day)
}
