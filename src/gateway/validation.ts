import type { z } from 'zod'
import type { Violation } from '../contract/shared/errors.ts'
import { bounds } from '../contract/shared/limits.ts'
import type { Operation } from '../contract/shared/operation.ts'
import { withoutNul } from '../contract/shared/primitives.ts'
import { isOptional, schemaAt } from '../contract/shared/schema-parts.ts'
import { ignoredFields, isStrict, meantField } from '../contract/shared/unknown-fields.ts'
import { nullWords, wordsOf } from '../contract/shared/violation-words.ts'
import { DomainError } from '../domain/core/errors.ts'
import { onceEach } from './once-each.ts'

type Watch = {
  /** Fields and list items that the input may hold. */
  values?: number | undefined
  /** Gets the fields that the schema ignores, of a refused input too, but never of one out of bounds. */
  ignoring?: (header: string) => void
  /** Gets the units of work that a refused input counts as. */
  refused?: (units: number) => void
}

/** Checks an input against its operation's schema; refuses with INVALID_ARGUMENT that names the first broken fields. */
export function parseInput(
  schema: z.ZodObject,
  input: unknown,
  { values = bounds.usualValues, ignoring = () => undefined, refused = () => undefined }: Watch = {},
): unknown {
  const { violation: unbounded, ...size } = measure(input, values)
  if (unbounded !== null) {
    refused(unitsOf(size))
    throw refusal([{ ...unbounded, path: clip(unbounded.path) }], 1)
  }
  const ignored = ignoredHeader(schema, input)
  if (ignored !== null) ignoring(ignored)
  const parsed = schema.safeParse(input, { reportInput: true })
  if (parsed.success) return parsed.data
  refused(Math.max(1, unitsOf(size)))
  const broken = parsed.error.issues.flatMap(brokenFields)
  const listed = broken.slice(0, bounds.violationsListed)
  throw refusal(
    listed.map((one) => violationOf(schema, one)),
    broken.length,
  )
}

function unitsOf({ values, characters }: Size): number {
  const unit = bounds.refusedUnit
  return Math.max(Math.ceil(values / unit.values), Math.ceil(characters / unit.characters))
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
  const others = total > bounds.violationsListed ? '' : `${total - 1} `
  const more = total > 1 ? ` (and ${others}more)` : ''
  const message =
    first === undefined ? 'The request is invalid.' : `${first.path || 'request'}: ${first.message}${more}`
  return new DomainError('INVALID_ARGUMENT', message, { violations: listed })
}

/** An issue, and the unknown field that it is about, if any. */
type Broken = { issue: z.core.$ZodIssue; key: string | null }

/** The fields that an issue is about: one, or several that the schema does not know. */
function brokenFields(issue: z.core.$ZodIssue): Broken[] {
  if (issue.code !== 'unrecognized_keys') return [{ issue, key: null }]
  return issue.keys.slice(0, bounds.violationsListed + 1).map((key) => ({ issue, key }))
}

function violationOf(schema: z.ZodObject, { issue, key }: Broken): Violation {
  const at = issue.path.map(String)
  if (key === null) {
    const field = schemaAt(schema, issue.path)
    const words = issue.input === null ? nullWords(isOptional(field), issue) : wordsOf(issue, field)
    return { path: clip(at.join('.')), message: clip(words), code: issue.code }
  }
  const meant = meantField(schema, issue.path, key)
  const advice = meant === null ? '' : `; did you mean ${[...at, meant].join('.')}?`
  return {
    path: clip([...at, key].join('.')),
    message: clip(`is not a field of this request${advice}`),
    code: issue.code,
  }
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

/** What of an input was seen: its fields and list items, and the characters of their names and texts. */
type Size = { values: number; characters: number }

/** The first violation of the general bounds, see `measure`. Null where there is none. */
export function outOfBounds(input: unknown, most: number = bounds.usualValues): Violation | null {
  return measure(input, most).violation
}

/**
 * The size of an input, and the first violation of the general bounds: nested too deeply, too many values, or text that a
 * database cannot store. The walk ends at a violation. It does not recurse, so that no depth overflows the stack.
 */
function measure(input: unknown, most: number): Size & { violation: Violation | null } {
  const root: Visit = { value: input, key: '', parent: null, depth: 0 }
  const remaining: Visit[] = [root]
  const size: Size = { values: 0, characters: 0 }
  const broken = (visit: Visit, code: string, message: string) => ({
    ...size,
    violation: violation(visit, code, message),
  })
  if (typeof input === 'string' && isUnstorable(input)) return broken(root, 'unstorable', unstorable)
  for (let visit = remaining.pop(); visit !== undefined; visit = remaining.pop()) {
    const { value, depth } = visit
    if (typeof value !== 'object' || value === null) continue
    if (depth > bounds.jsonDepth) return broken(visit, 'too_deep', `is nested more than ${bounds.jsonDepth} deep`)
    const keys = Object.keys(value)
    size.values += keys.length
    if (size.values > most) return broken(visit, 'too_many', `holds more than ${most} values together with the rest`)
    if (keys.length > bounds.entries)
      return broken(visit, 'too_many', `has more than ${bounds.entries} fields or items`)
    for (const key of keys) {
      const part = (value as Record<string, unknown>)[key]
      size.characters += key.length + (typeof part === 'string' ? part.length : 0)
      if (key.length > bounds.fieldNameCharacters)
        return broken(visit, 'too_big', `has a field name of more than ${bounds.fieldNameCharacters} characters`)
      if (isUnstorable(key)) return broken(visit, 'unstorable', `has a field name that ${unstorable}`)
      const child = () => ({ value: part, key, parent: visit, depth: depth + 1 })
      if (typeof part === 'string' && isUnstorable(part)) return broken(child(), 'unstorable', unstorable)
      // Most values are no containers, and need no visit of their own.
      if (typeof part === 'object' && part !== null) remaining.push(child())
    }
  }
  return { ...size, violation: null }
}

const unstorable = 'contains NUL or a lone surrogate; send text without them'

/** Databases cut a text at NUL or refuse it, and replace lone surrogates, so that two different keys could become equal. */
function isUnstorable(text: string): boolean {
  return !withoutNul.test(text) || !text.isWellFormed()
}

function violation(visit: Visit, code: string, message: string): Violation {
  const keys: string[] = []
  for (let at: Visit = visit; at.parent !== null; at = at.parent) keys.unshift(at.key)
  return { path: keys.join('.'), message, code }
}
