import type { z } from 'zod'
import type { Violation } from './contract/errors.ts'
import { bounds } from './contract/limits.ts'
import { DomainError } from './domain/errors.ts'

/** Checks an input against its operation's schema; refuses with INVALID_ARGUMENT that names every broken field. */
export function parseInput(schema: z.ZodObject, input: unknown): unknown {
  const tooDeep = deepField(input)
  if (tooDeep !== null) {
    throw refusal([{ path: tooDeep, message: `is nested more than ${bounds.jsonDepth} deep`, code: 'too_deep' }])
  }
  const parsed = schema.safeParse(input, { reportInput: true })
  if (parsed.success) return parsed.data
  throw refusal(parsed.error.issues.flatMap(violationsOf))
}

function refusal(violations: Violation[]): DomainError {
  const listed = bounded(violations)
  const first = listed[0]
  const more = violations.length > 1 ? ` (and ${violations.length - 1} more)` : ''
  const sentence =
    first === undefined ? 'The request is not valid.' : `${first.path || 'request'}: ${first.message}${more}`
  return new DomainError('INVALID_ARGUMENT', sentence, { violations: listed })
}

function violationsOf(issue: z.core.$ZodIssue): Violation[] {
  const at = issue.path.map(String)
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: clip([...at, key].join('.')),
      message: 'is not a field of this request',
      code: issue.code,
    }))
  }
  const missing = issue.code === 'invalid_type' && issue.input === undefined
  return [{ path: clip(at.join('.')), message: missing ? 'is required' : clip(issue.message), code: issue.code }]
}

/** Keeps a refusal small whatever the input was: a hostile input must not choose the size of its answer. */
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

function clip(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 197)}...`
}

/** The first top-level field whose value is nested too deep, walked without recursion so that depth cannot hurt. */
function deepField(input: unknown): string | null {
  if (typeof input !== 'object' || input === null) return null
  for (const [field, value] of Object.entries(input)) if (deeperThan(value, bounds.jsonDepth)) return clip(field)
  return null
}

function deeperThan(value: unknown, limit: number): boolean {
  let layer: unknown[] = [value]
  for (let depth = 0; layer.length > 0; depth += 1) {
    const nested = layer.filter((item) => typeof item === 'object' && item !== null)
    if (nested.length > 0 && depth >= limit) return true
    layer = nested.flatMap((item) => Object.values(item as object))
  }
  return false
}
