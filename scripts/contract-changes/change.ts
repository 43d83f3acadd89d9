import type { Deprecation } from '../../src/contract/shared/deprecation.ts'

/** A `breaking` change may break callers that were written for the previous version. */
export type Level = 'breaking' | 'deprecated' | 'added' | 'changed'

/** How a version announces the end of something; null where it does not. */
export type End = Deprecation | null

/** `promised` is the end that the previous version announced for the removed part, `announced` is a new end. */
export type Ends = { promised?: End | undefined; announced?: Deprecation | undefined }

/** `subject` is the id of an operation, a table that all share, or `protobuf`. */
export type Change = Ends & { subject: string; level: Level; text: string }
