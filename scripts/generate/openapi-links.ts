import type { Method } from './model.ts'
import { serviceName } from './names.ts'
import { defOf, metaOf, type Schema, unwrap } from './schema.ts'

/** What stands below the description of an operation: its names on the other protocols, and the rules that hold for it. */
export function linesBelow(method: Method): string {
  const { group, id, name, operation, stream } = method
  const fields = fieldsOf(operation.input)
  const rules = [
    'errors',
    ...(fields.some(([field]) => field === 'cursor') ? ['paging'] : []),
    ...(fields.some(([, schema]) => metaOf(schema).proto === 'timestamp') ? ['times'] : []),
    ...(fields.some(([field]) => field.startsWith('amount')) ? ['amounts'] : []),
    ...(fields.some(([field]) => field === 'idempotency_key') ? ['repeats'] : []),
    'rates',
    ...(stream ? ['streams'] : []),
  ]
  const links = rules.map((rule) => `[${rule}](/docs/guides/rules#${rule})`)
  const rate = ` Rate \`${operation.rate}\`.`
  return `tRPC \`${id}\`, gRPC \`${serviceName(group)}/${name}\`.${rate} Rules: ${links.join(', ')}.`
}

/** The fields of an object at all depths, each by its name. */
function fieldsOf(schema: Schema): [string, Schema][] {
  const { inner } = unwrap(schema)
  const def = defOf(inner)
  if (def.type !== 'object') return []
  return Object.entries(def.shape).flatMap(([name, part]): [string, Schema][] => [
    [name, unwrap(part).inner],
    ...fieldsOf(part),
  ])
}
