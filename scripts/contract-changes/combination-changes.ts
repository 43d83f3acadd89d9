import type { Below, Schema, SchemaChange } from './schema.ts'

/** Names of what holds several schemas. */
export const combined = ['anyOf', 'allOf']

/** Of the alternatives or rules of a name, by position; an alternative more allows more, a rule more allows less. */
export function combinationChanges(a: Schema, b: Schema, name: string, path: string, below: Below): SchemaChange[] {
  const [before, after] = [listOf(a[name]), listOf(b[name])]
  if (before.length === after.length) return before.flatMap((one, index) => below(one, after[index], ''))
  const grew = after.length > before.length && before.length > 0
  const effect =
    before.length === 0 ? 'narrows' : after.length === 0 || grew === (name === 'anyOf') ? 'widens' : 'narrows'
  const same = before.every(
    (one, index) => index >= after.length || JSON.stringify(one) === JSON.stringify(after[index]),
  )
  const text = `has ${after.length} alternatives or rules, had ${before.length}`
  return [{ path, text, effect: same ? effect : 'moves' }]
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
