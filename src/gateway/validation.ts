import type { z } from 'zod'
import type { Violation } from '../contract/shared/errors.ts'
import { bounds } from '../contract/shared/limits.ts'
import type { Operation } from '../contract/shared/operation.ts'
import { ignoredFields, isStrict, meantField } from '../contract/shared/unknown-fields.ts'
import { wordsOf } from '../contract/shared/violation-words.ts'
import { DomainError } from '../domain/core/errors.ts'
import { onceEach } from './once-each.ts'

/**
 * Checks an input against its operation's schema; refuses with INVALID_ARGUMENT that names every broken field. `ignoring`
 * is told of fields that the schema ignores, refused or not, but never of an input out of bounds.
 */
export function parseInput(
  schema: z.ZodObject,
  input: unknown,
  ignoring: (header: string) => void = () => undefined,
): unknown {
  const unbounded = outOfBounds(input)
  if (unbounded !== null) throw refusal([{ ...unbounded, path: clip(unbounded.path) }], 1)
  const ignored = ignoredHeader(schema, input)
  if (ignored !== null) ignoring(ignored)
  const parsed = schema.safeParse(input, { reportInput: true })
  if (parsed.success) return parsed.data
  const { issues } = parsed.error
  const total = issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 1), 0)
  throw refusal(
    issues.slice(0, bounds.violationsListed).flatMap((issue) => violationsOf(schema, issue)),
    total,
  )
}

/** The value of `x-ignored-fields`: fields of an input that its schema ignores, cut and percent-encoded; null for none. */
function ignoredHeader(schema: z.ZodObject, input: unknown): string | null {
  if (isStrict(schema)) return null
  const names = ignoredFields(schema, input, bounds.ignoredListed)
  return names.length === 0
    ? null
    : names.map((name) => encodeURIComponent(name.slice(0, 50).toWellFormed())).join(', ')
}

/**
 * Makes the check of an operation's outputs against its schema; INTERNAL for one that breaks it. An event is checked once
 * for all its readers.
 */
export function outputCheck(id: string, { kind, output: schema }: Operation): (output: unknown) => unknown {
  const check = (output: unknown) => {
    const checked = schema.safeParse(output)
    if (checked.success) return checked.data
    throw new DomainError('INTERNAL', `The output of ${id} breaks its contract.`, {}, checked.error)
  }
  return kind === 'stream' ? onceEach(check) : check
}

function refusal(violations: Violation[], total: number): DomainError {
  const listed = bounded(violations)
  const first = listed[0]
  const more = total > 1 ? ` (and ${total - 1} more)` : ''
  const message =
    first === undefined ? 'The request is invalid.' : `${first.path || 'request'}: ${first.message}${more}`
  return new DomainError('INVALID_ARGUMENT', message, { violations: listed })
}

function violationsOf(schema: z.ZodObject, issue: z.core.$ZodIssue): Violation[] {
  const at = issue.path.map(String)
  if (issue.code !== 'unrecognized_keys')
    return [{ path: clip(at.join('.')), message: clip(wordsOf(issue)), code: issue.code }]
  return issue.keys.slice(0, bounds.violationsListed).map((key) => {
    const meant = meantField(schema, issue.path, key)
    const advice = meant === null ? '' : `; did you mean ${[...at, meant].join('.')}?`
    return {
      path: clip([...at, key].join('.')),
      message: clip(`is not a field of this request${advice}`),
      code: issue.code,
    }
  })
}

/** Bounds the size of a refusal, which a hostile input must not choose. */
function bounded(violations: Violation[]): Violation[] {
  const listed: Violation[] = []
  let bytes = 0
  for (const violation of violations.slice(0, bounds.violationsListed)) {
    bytes += Buffer.byteLength(violation.path) + Buffer.byteLength(violation.message) + violation.code.length
    if (bytes > bounds.violationBytes) break
    listed.push(violation)
  }
  return listed
}

/** Cuts a text without splitting a surrogate pair. */
function clip(text: string): string {
  return text.length <= 200
    ? text
    : `${text
        .slice(0, 197)
        .toWellFormed()
        .replace(/\uFFFD$/, '')}...`
}

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
