import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { operations } from './index.ts'
import { errorTable } from './shared/errors.ts'
import { bounds, type RateRule, rateRules } from './shared/limits.ts'
import { isStrict } from './shared/unknown-fields.ts'

/** The parts of a schema: the inner one of a wrapper, fields and elements with their path. */
function inside(schema: z.core.$ZodType): [string, z.core.$ZodType][] {
  const def = (schema as z.core.$ZodTypes)._zod.def
  switch (def.type) {
    case 'object':
      return Object.entries(def.shape).map(([key, field]) => [`.${key}`, field])
    case 'array':
      return [['[]', def.element]]
    case 'record':
      return [['{}', def.valueType]]
    case 'union':
      return def.options.map((option, index) => [`|${index}`, option])
    case 'optional':
    case 'nullable':
    case 'default':
      return [['', def.innerType]]
    default:
      return []
  }
}

/** The most fields and list items of an input without what is free inside free fields. */
function mostValues(schema: z.core.$ZodType): number {
  const parts = inside(schema).map(([, part]) => mostValues(part))
  const most = (schema._zod.def as { most?: number }).most ?? 0
  switch (typeOf(schema)) {
    case 'object':
      return parts.reduce((sum, part) => sum + 1 + part, 0)
    case 'array':
    case 'record':
      return most * (1 + (parts[0] ?? 0))
    default:
      return Math.max(0, ...parts)
  }
}

type Place = { path: string; schema: z.core.$ZodType }

function walk(schema: z.core.$ZodType, path: string): Place[] {
  return [{ path, schema }, ...inside(schema).flatMap(([step, part]) => walk(part, path + step))]
}

const typeOf = (schema: z.core.$ZodType) => schema._zod.def.type
const metaOf = (schema: z.core.$ZodType) => z.globalRegistry.get(schema)

function peel(schema: z.core.$ZodType): z.core.$ZodType[] {
  const wraps = ['optional', 'nullable', 'default'].includes(typeOf(schema))
  return [schema, ...(wraps ? inside(schema).flatMap(([, part]) => peel(part)) : [])]
}

/** True where a regular expression matches texts of limited length only. */
function limitsLength(pattern: string): boolean {
  const bare = pattern.replace(/\\./g, 'x').replace(/\[[^\]]*\]/g, 'x')
  return bare.startsWith('^') && bare.endsWith('$') && !/[*+]|\{\d+,\}/.test(bare)
}

function isBounded(schema: z.core.$ZodType): boolean {
  const type = typeOf(schema)
  if (type !== 'string' && type !== 'array' && type !== 'number') return true
  const json = z.toJSONSchema(schema, { unrepresentable: 'any' })
  if (type === 'array') return json.maxItems !== undefined
  if (type === 'number') return json.minimum !== undefined && json.maximum !== undefined
  const patterns = [json, ...(json.allOf ?? [])].flatMap((part) => part.pattern ?? [])
  return json.maxLength !== undefined || patterns.some(limitsLength)
}

const all = operations()
const pascal = (key: string) => key.charAt(0).toUpperCase() + key.slice(1)
const keyOf = (id: string) => id.slice(id.indexOf('.') + 1)
const duplicates = (texts: string[]) => texts.filter((text, index) => texts.indexOf(text) !== index)

describe.each(all)('%s', (id, operation) => {
  const inputs = walk(operation.input, 'input')
  const outputs = walk(operation.output, 'output')

  it('has examples that satisfy its schemas', () => {
    expect(operation.input.safeParse(operation.example.input).error).toBeUndefined()
    expect(operation.output.safeParse(operation.example.output).error).toBeUndefined()
  })

  it('answers an object or a list of objects', () => {
    const root = operation.output
    const shape = typeOf(root) === 'array' ? inside(root).map(([, part]) => typeOf(part))[0] : typeOf(root)
    if (!id.startsWith('chain.')) expect(shape).toBe('object')
  })

  it('takes each path parameter as an input field', () => {
    const names = [...(operation.http?.path ?? '').matchAll(/\{(\w+)\}/g)].map((match) => match[1])
    expect(Object.keys(operation.input.shape)).toEqual(expect.arrayContaining(names))
  })

  it('bounds every text, list and number it takes', () => {
    expect(inputs.filter((place) => !isBounded(place.schema)).map((place) => place.path)).toEqual([])
  })

  it('refuses or ignores unknown fields alike in every object it takes', () => {
    const objects = inputs.filter((place) => typeOf(place.schema) === 'object')
    const others = objects.filter((place) => isStrict(place.schema) !== isStrict(operation.input))
    expect(others.map((place) => place.path)).toEqual([])
  })

  it('takes flat fields in a query', () => {
    const method = operation.http?.method
    if (method !== 'GET' && method !== 'DELETE') return
    const deep = inputs.slice(1).filter((place) => ['object', 'array', 'record'].includes(typeOf(place.schema)))
    expect(deep.map((place) => place.path)).toEqual([])
  })

  it('says null in answers only, and never for a field that may be absent', () => {
    expect(inputs.filter((place) => typeOf(place.schema) === 'nullable')).toEqual([])
    const both = outputs.filter((place) => {
      const types = peel(place.schema).map(typeOf)
      return types.includes('nullable') && types.includes('optional')
    })
    expect(both.map((place) => place.path)).toEqual([])
    expect(outputs.filter((place) => typeOf(place.schema) === 'default')).toEqual([])
  })

  it('describes every field', () => {
    // Node objects have the fields that Ethereum's own specification describes.
    if (id.startsWith('chain.')) return
    const fields = [...inputs, ...outputs]
      .filter((place) => typeOf(place.schema) === 'object')
      .flatMap((place) => inside(place.schema).map(([step, field]) => ({ path: place.path + step, field })))
    const silent = fields.filter(({ field }) => !peel(field).some((layer) => metaOf(layer)?.description))
    expect(silent.map(({ path }) => path)).toEqual([])
  })

  it('takes as many values as its own lists and free fields allow', () => {
    const allowed = operation.values ?? bounds.usualValues
    // What takes overrides of a state, or several calls with them, is bounded as a whole.
    if (allowed < bounds.jsonValues) expect(mostValues(operation.input)).toBeLessThanOrEqual(allowed)
  })

  it('names errors and a rate class that exist', () => {
    expect(Object.keys(errorTable)).toEqual(expect.arrayContaining([...operation.errors]))
    expect(duplicates([...operation.errors])).toEqual([])
    expect(Object.keys(rateRules)).toContain(operation.rate)
    expect(operation.rate === 'operator').toBe(operation.auth === 'operator')
  })

  it('has a summary of one sentence without a full stop', () => {
    expect(operation.summary).toMatch(/^[A-Z][^.!?\n]*[^.!?\s]$/)
  })
})

describe('the contract', () => {
  it('gives each operation a unique id', () => {
    expect(all.length).toBeGreaterThan(40)
    expect(duplicates(all.map(([id]) => id))).toEqual([])
  })

  it('has no rate that refuses everybody, and no window that never ends or begins', () => {
    const numbers = Object.entries<RateRule>(rateRules).flatMap(([name, { limit, windowSeconds, burst = limit }]) =>
      [limit, windowSeconds, burst].map((number) => [name, number] as const),
    )
    expect(numbers.filter(([, number]) => !Number.isInteger(number) || number < 1)).toEqual([])
  })

  it('binds each method and path once', () => {
    const bindings = all.flatMap(([, { http }]) =>
      http ? [`${http.method} ${http.path.replace(/\{\w+\}/g, '{}')}`] : [],
    )
    expect(duplicates(bindings)).toEqual([])
  })

  it('gives each shared object a unique name', () => {
    const named = new Map<string, z.core.$ZodType>()
    const clashes: string[] = []
    const messages = new Set(all.flatMap(([id]) => [`${pascal(keyOf(id))}Request`, `${pascal(keyOf(id))}Response`]))
    for (const { schema } of all.flatMap(([, o]) => [...walk(o.input, ''), ...walk(o.output, '')])) {
      const name = metaOf(schema)?.id
      if (name === undefined) continue
      const known = named.get(name)
      if (known !== undefined && known !== schema) clashes.push(name)
      named.set(name, schema)
      if (!/^[A-Z][A-Za-z0-9]*$/.test(name) || /(Request|Response|Service)$/.test(name) || messages.has(name))
        clashes.push(name)
    }
    expect(clashes).toEqual([])
  })
})
