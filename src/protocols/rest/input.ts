import type { z } from 'zod'
import { resumeFieldOf } from '../../contract/index.ts'
import type { HttpBinding, Operation } from '../../contract/shared/operation.ts'
import { isOptional, unwrapped } from '../../contract/shared/schema-parts.ts'
import { isRecord } from '../../kit/values.ts'
import type { ReadBody } from '../body.ts'

/** The parts of a request that hold input fields; path and query are text as in the URL. */
type RequestParts = {
  path: Record<string, unknown>
  query: Record<string, unknown>
  body: ReadBody | undefined
  lastEventId: string | undefined
}

/**
 * The input of an operation from a request. A field in the wrong part of the request gets a name that no schema has, so
 * that validation refuses it after authentication.
 */
export function inputOf(operation: Operation, http: HttpBinding, parts: RequestParts): unknown {
  const shape = operation.input.shape
  const fromPath = textFields(shape, pathFields(shape, parts.path))
  if (!takesBody(http)) {
    const fromQuery = textFields(shape, omit(parts.query, fromPath))
    return {
      ...unknownFields('query', pick(parts.query, fromPath)),
      ...fromQuery,
      ...cursorOf(operation, parts),
      ...fromPath,
    }
  }
  const sent = parts.body?.fields
  if (!isRecord(sent)) return sent
  const fields = parts.body?.encoding === 'form' ? textFields(shape, sent) : sent
  const misplaced = { ...unknownFields('query', parts.query), ...unknownFields('body', pick(fields, fromPath)) }
  return { ...misplaced, ...omit(fields, fromPath), ...cursorOf(operation, parts), ...fromPath }
}

/** What stands in a path for an id that is absent, as generated clients can write it too. */
const nilUuid = '00000000-0000-0000-0000-000000000000'

/** The fields of the path. An id that may be absent is the nil UUID where it is. */
function pathFields(shape: z.core.$ZodShape, path: Record<string, unknown>): Record<string, unknown> {
  const fields = Object.entries(path).filter(([name, value]) => value !== nilUuid || !isOptional(shape[name]))
  return Object.fromEntries(fields)
}

/** True where fields come from the body, not from the query. */
export function takesBody(http: HttpBinding): boolean {
  return http.method === 'POST' || http.method === 'PATCH'
}

/** The Last-Event-ID header overrides the field: a browser that reconnects sends it with its first URL. */
function cursorOf(operation: Operation, parts: RequestParts): Record<string, unknown> {
  const field = resumeFieldOf(operation)
  return field === null || !parts.lastEventId ? {} : { [field]: parts.lastEventId }
}

/** Converts texts to the declared types of their fields. A text that does not fit stays text, and validation refuses it. */
function textFields(shape: z.core.$ZodShape, texts: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(texts).map(([name, value]) => [
      name,
      fieldValue(Object.hasOwn(shape, name) ? shape[name] : undefined, value),
    ]),
  )
}

function fieldValue(schema: z.core.$ZodType | undefined, value: unknown): unknown {
  const bare = unwrapped(schema)
  if (bare?._zod.def.type === 'array') {
    const element = (bare as z.core.$ZodArray)._zod.def.element
    return (Array.isArray(value) ? value : [value]).map((item) => scalarOf(element, item))
  }
  return scalarOf(bare, value)
}

const jsonNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

function scalarOf(schema: z.core.$ZodType | undefined, value: unknown): unknown {
  if (typeof value !== 'string') return value
  const type = unwrapped(schema)?._zod.def.type
  if (type === 'number' && jsonNumber.test(value)) return Number(value)
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true'
  return value
}

function unknownFields(part: string, fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [`${part}.${name}`, value]))
}

function pick(fields: Record<string, unknown>, names: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => Object.hasOwn(names, name)))
}

function omit(fields: Record<string, unknown>, names: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !Object.hasOwn(names, name)))
}
