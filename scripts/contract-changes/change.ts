import type { Deprecation } from '../../src/contract/shared/deprecation.ts'

/** `breaking` is what a caller written against the version before may not survive. */
export type Level = 'breaking' | 'deprecated' | 'added' | 'changed'

/** How a version announces the end of something; null where it does not. */
export type End = Deprecation | null

/** `promised` is what the version before said of the end of what this takes away, `announced` the end that is new. */
export type Ends = { promised?: End | undefined; announced?: Deprecation | undefined }

/** `subject` is the id of an operation, a table that all share, or `protobuf`. */
export type Change = Ends & { subject: string; level: Level; text: string }
