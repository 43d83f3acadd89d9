import { bounds } from '../contract/shared/limits.ts'
import { DomainError } from '../domain/core/errors.ts'

/** The texts that a query or a form has for a field: one, or the list of those that were sent. */
export type UrlFields = Record<string, string | string[]>

/**
 * The fields of a query or of a form. `%E9` is no UTF-8 and `%ZZ` no byte: where a lenient reader makes up a text, this
 * throws MALFORMED_REQUEST that names the field.
 */
export function readFields(text: string): UrlFields {
  const fields = new Map<string, string | string[]>()
  const pairs = text.split('&', bounds.entries + 1)
  if (pairs.length > bounds.entries)
    throw new DomainError(
      'MALFORMED_REQUEST',
      `The query or the form has more than ${bounds.entries} fields. Send fewer.`,
    )
  for (const pair of pairs) {
    if (pair === '') continue
    const [name, value] = decodePair(pair)
    const before = fields.get(name)
    fields.set(name, before === undefined ? value : [before, value].flat())
  }
  return Object.fromEntries(fields)
}

/** The text of a URL after its question mark; '' without one. */
export function queryOf(url = ''): string {
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start + 1)
}

function decodePair(pair: string): [name: string, value: string] {
  const at = pair.indexOf('=')
  const name = at < 0 ? pair : pair.slice(0, at)
  const value = at < 0 ? '' : pair.slice(at + 1)
  try {
    return [decode(name), decode(value)]
  } catch (cause) {
    const path = readable(name).slice(0, bounds.fieldNameCharacters).toWellFormed()
    const message = 'is no percent-encoded UTF-8 text; write % as %25, and other bytes than ASCII as UTF-8'
    const violations = [{ path, message, code: 'not_text' }]
    throw new DomainError('MALFORMED_REQUEST', `${path}: ${message}`, { violations }, cause)
  }
}

function readable(name: string): string {
  try {
    return decode(name)
  } catch {
    return name
  }
}

/** Throws URIError. */
function decode(text: string): string {
  return /[%+]/.test(text) ? decodeURIComponent(text.replaceAll('+', ' ')) : text
}
