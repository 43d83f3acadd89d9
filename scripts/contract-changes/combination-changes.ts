import type { Below, Schema, SchemaChange } from './schema.ts'

/** Keywords that combine several schemas. */
export const combined = ['anyOf', 'allOf']

/**
 * The changes of a keyword's alternatives or rules, by position. An additional alternative allows more, an additional
 * rule less.
 */
export function combinationChanges(a: Schema, b: Schema, name: string, path: string, below: Below): SchemaChange[] {
  const [before, after] = [listOf(a[name]), listOf(b[name])]
  const both = before.slice(0, after.length).flatMap((one, index) => below(one, after[index], ''))
  if (before.length === after.length) return both
  const room = ({ length }: unknown[]) => (name === 'allOf' ? -length : length || Number.POSITIVE_INFINITY)
  const text = `has ${after.length} alternatives or rules, had ${before.length}`
  return [...both, { path, text, effect: room(after) > room(before) ? 'widens' : 'narrows' }]
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
