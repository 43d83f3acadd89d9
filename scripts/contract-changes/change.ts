/** `breaking` is what a caller written against the version before may not survive. */
export type Level = 'breaking' | 'deprecated' | 'added' | 'changed'
/** `subject` is the id of an operation, a table that all share, or `protobuf`. */
export type Change = { subject: string; level: Level; text: string }
