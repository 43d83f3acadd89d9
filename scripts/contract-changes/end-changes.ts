import { type Deprecation, deprecationText, endDay } from '../../src/contract/shared/deprecation.ts'
import type { End } from './change.ts'
import { isSchema, type Placeless, type Schema } from './schema.ts'

/** The end that a document announces of an operation or a field. */
export function endIn({ deprecated, 'x-deprecated': announced }: Schema): End {
  return deprecated === true && isSchema(announced) ? (announced as Deprecation) : null
}

/** How the announcement of an end changes. A date that was announced may only move later. */
export function endChanges(before: End, after: End): Placeless[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return []
  if (after === null) return [{ text: 'is no longer deprecated', effect: 'spares' }]
  const text = `is ${deprecationText(after).replace(/^D/, 'd')}`
  if (before === null) return [{ text, effect: 'deprecates', announced: after }]
  const [was, is] = [endDay(before), endDay(after)]
  if (is >= was) return [{ text, effect: 'spares' }]
  return [{ text: `may be removed from ${is} on, was from ${was} on`, effect: 'moves', promised: before }]
}
