import { combined } from './combination-changes.ts'
import type { Placeless, Schema } from './schema.ts'

/** Bounds, and whether a larger number allows more. */
const bounds = {
  minimum: false,
  exclusiveMinimum: false,
  minLength: false,
  minItems: false,
  maximum: true,
  exclusiveMaximum: true,
  maxLength: true,
  maxItems: true,
}
const structure = ['type', 'enum', 'const', 'properties', 'required', 'additionalProperties', 'items', 'contentSchema']
const silent = ['$ref', 'title', 'description', 'example', 'examples', 'deprecated']
const elsewhere = new Set([...Object.keys(bounds), ...structure, ...combined, ...silent])

/** The changes that apply to the value as a whole: its type, choices, bounds, and all rules that are unknown here. */
export function valueChanges(a: Schema, b: Schema): Placeless[] {
  return [
    ...setChanges(typesOf(a), typesOf(b), 'the type'),
    ...setChanges(choicesOf(a), choicesOf(b), 'the choice'),
    ...boundChanges(a, b),
    ...otherChanges(a, b),
  ]
}

/** Null where any type is allowed. An integer is a number. */
function typesOf({ type }: Schema): string[] | null {
  if (type === undefined) return null
  return [type].flat().flatMap((one) => (one === 'number' ? ['number', 'integer'] : [String(one)]))
}

function choicesOf(schema: Schema): string[] | null {
  const values = 'const' in schema ? [schema.const] : schema.enum
  return Array.isArray(values) ? values.map((value) => JSON.stringify(value)) : null
}

function setChanges(before: string[] | null, after: string[] | null, what: string): Placeless[] {
  if (before === null && after === null) return []
  if (before === null) return [{ text: `${what} is ${after?.join(' or ')} alone`, effect: 'narrows' }]
  if (after === null) return [{ text: `${what} is no longer bound to ${before.join(' or ')}`, effect: 'widens' }]
  const lost = before.filter((one) => !after.includes(one))
  const won = after.filter((one) => !before.includes(one))
  return [
    ...lost.map((one) => ({ text: `${what} \`${one}\` is gone`, effect: 'narrows' as const })),
    ...won.map((one) => ({ text: `${what} \`${one}\` is new`, effect: 'widens' as const, isNew: true as const })),
  ]
}

function boundChanges(a: Schema, b: Schema): Placeless[] {
  return Object.entries(bounds).flatMap(([name, largerIsWider]): Placeless[] => {
    const [was, is] = [a[name], b[name]]
    if (was === is) return []
    const grew = Number(is) > Number(was)
    const widens = is === undefined || (was !== undefined && grew === largerIsWider)
    return [{ text: `${name} is ${is ?? 'gone'}, was ${was ?? 'none'}`, effect: widens ? 'widens' : 'narrows' }]
  })
}

function otherChanges(a: Schema, b: Schema): Placeless[] {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])]
  return names.flatMap((name): Placeless[] => {
    const [was, is] = [JSON.stringify(a[name]), JSON.stringify(b[name])]
    if (was === is || elsewhere.has(name) || name.startsWith('x-')) return []
    const isRule = name === 'pattern' || name === 'format'
    const effect = isRule && is === undefined ? 'widens' : isRule && was === undefined ? 'narrows' : 'moves'
    return [{ text: `${name} is ${is ?? 'gone'}, was ${was ?? 'none'}`, effect }]
  })
}
