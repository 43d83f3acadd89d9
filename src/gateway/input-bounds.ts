import type { Violation } from '../contract/shared/errors.ts'
import { bounds } from '../contract/shared/limits.ts'

type Visit = { value: unknown; key: string; parent: Visit | null; depth: number }

/**
 * The first violation of the general bounds: nested too deeply, too many values, or text that a database cannot store.
 * Null where there is none. The walk does not recurse, so that no depth overflows the stack.
 */
export function outOfBounds(input: unknown): Violation | null {
  const remaining: Visit[] = [{ value: input, key: '', parent: null, depth: 0 }]
  let values = 0
  for (let visit = remaining.pop(); visit !== undefined; visit = remaining.pop()) {
    const { value, depth } = visit
    if (typeof value === 'string' && isUnstorable(value)) return violation(visit, 'unstorable', unstorable)
    if (typeof value !== 'object' || value === null) continue
    if (depth > bounds.jsonDepth) return violation(visit, 'too_deep', `is nested more than ${bounds.jsonDepth} deep`)
    const keys = Object.keys(value)
    values += keys.length
    if (values > bounds.jsonValues)
      return violation(visit, 'too_many', `holds more than ${bounds.jsonValues} values together with the rest`)
    for (const key of keys) {
      const child = { value: (value as Record<string, unknown>)[key], key, parent: visit, depth: depth + 1 }
      if (key.length > bounds.fieldNameCharacters)
        return violation(visit, 'too_big', `has a field name of more than ${bounds.fieldNameCharacters} characters`)
      if (isUnstorable(key)) return violation(visit, 'unstorable', `has a field name that ${unstorable}`)
      remaining.push(child)
    }
  }
  return null
}

const unstorable = 'contains NUL or a lone surrogate; send text without them'

/** Databases cut a text at NUL or refuse it, and replace lone surrogates, so that two different keys could become equal. */
function isUnstorable(text: string): boolean {
  return text.includes('\0') || !text.isWellFormed()
}

function violation(visit: Visit, code: string, message: string): Violation {
  const keys: string[] = []
  for (let at: Visit = visit; at.parent !== null; at = at.parent) keys.unshift(at.key)
  return { path: keys.join('.'), message, code }
}
