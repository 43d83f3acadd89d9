import type { Deprecation } from '../../src/contract/deprecation.ts'
import type { End } from './change.ts'

export type Schema = { [key: string]: unknown }

/** A JSON schema with the components that its references name. */
export type Located = { schema: Schema; components: Record<string, Schema> }

/** What a change does to the values that a schema allows: more, fewer, others; or nothing, but its end is announced. */
export type Effect = 'widens' | 'narrows' | 'moves' | 'deprecates'
export type SchemaChange = { path: string; text: string; effect: Effect; isNew?: true; end?: End | undefined }

/** The changes between two parts of the schemas at hand, one step of the path further. */
export type Below = (one: unknown, other: unknown, step: string) => SchemaChange[]
/** A change at the place of the schemas at hand. */
export type Placeless = Omit<SchemaChange, 'path'>

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The end that a document announces of an operation or a field. */
export function endIn({ deprecated, 'x-deprecated': announced }: Schema): End {
  return deprecated === true && isSchema(announced) ? (announced as Deprecation) : null
}
