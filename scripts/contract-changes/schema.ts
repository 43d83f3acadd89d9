import type { Ends } from './change.ts'

export type Schema = { [key: string]: unknown }

/** A JSON schema with the components that its references name. */
export type Located = { schema: Schema; components: Record<string, Schema> }

/** What a change does to the values that a schema allows: more, fewer, others; or nothing, but it may go, or stays. */
export type Effect = 'widens' | 'narrows' | 'moves' | 'deprecates' | 'spares'
export type SchemaChange = Ends & { path: string; text: string; effect: Effect; isNew?: true }

/** The changes between two parts of the schemas at hand, one step of the path further. */
export type Below = (one: unknown, other: unknown, step: string) => SchemaChange[]
/** A change at the place of the schemas at hand. */
export type Placeless = Omit<SchemaChange, 'path'>

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
