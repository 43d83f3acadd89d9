import type { Ends } from './change.ts'

export type Schema = { [key: string]: unknown }

/** A JSON schema with the components that its references name. */
export type Located = { schema: Schema; components: Record<string, Schema> }

/**
 * The effect of a change on the allowed values: more, fewer, or others; or none, where an end is announced or
 * postponed.
 */
export type Effect = 'widens' | 'narrows' | 'moves' | 'deprecates' | 'spares'
export type SchemaChange = Ends & { path: string; text: string; effect: Effect; isNew?: true }

/** The changes between two parts of the current schemas, one step further along the path. */
export type Below = (one: unknown, other: unknown, step: string) => SchemaChange[]
/** A change at the current path. */
export type Placeless = Omit<SchemaChange, 'path'>

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
