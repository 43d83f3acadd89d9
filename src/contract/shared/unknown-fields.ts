import { z } from 'zod'
import { nearestName } from './nearest-name.ts'
import type { Operation } from './operation.ts'
import { elementOf, schemaAt, shapeOf } from './schema-parts.ts'

type Schema = z.core.$ZodType

/** True for `z.strictObject`, which refuses unknown fields. */
export function isStrict(schema: Schema): boolean {
  const { def } = (schema as z.core.$ZodTypes)._zod
  return def.type === 'object' && def.catchall?._zod.def.type === 'never'
}

/** True where a key that an object has twice is refused: where unknown ones are, except in methods of a node, which take it. */
export function refusesRepeated({ input, rpc }: Pick<Operation, 'input' | 'rpc'>): boolean {
  return rpc === undefined && isStrict(input)
}

/** The fields of a schema, with unknown ones refused and without the rules that join several fields. */
export function strictly<Shape extends z.core.$ZodShape>({
  shape,
}: {
  shape: Shape
}): z.ZodObject<Shape, z.core.$strict> {
  return z.strictObject(shape)
}

/** The paths of at most `most` fields that a schema does not know and does not refuse: those that it ignores. */
export function ignoredFields(schema: z.ZodObject, input: unknown, most: number): string[] {
  const found: string[] = []
  const visit = (part: Schema | undefined, value: unknown, path: readonly string[]): void => {
    if (typeof value !== 'object' || value === null || found.length >= most) return
    const shape = shapeOf(part)
    const element = elementOf(part)
    for (const [key, member] of Object.entries(value)) {
      if (element !== undefined) visit(element, member, [...path, key])
      else if (shape !== undefined && Object.hasOwn(shape, key)) visit(shape[key], member, [...path, key])
      else if (shape !== undefined && found.length < most) found.push([...path, key].join('.'))
    }
  }
  visit(schema, input, [])
  return found
}

/** What a caller probably meant by an unknown field at a path: a field beside it, or one of the objects beside it. */
export function meantField(schema: z.ZodObject, path: readonly PropertyKey[], name: string): string | null {
  const shape = shapeOf(schemaAt(schema, path)) ?? {}
  const beside = nearestName(name, Object.keys(shape))
  if (beside !== null) return beside
  for (const [key, member] of Object.entries(shape)) {
    const below = nearestName(name, Object.keys(shapeOf(member) ?? {}))
    if (below !== null) return `${key}.${below}`
  }
  return null
}
