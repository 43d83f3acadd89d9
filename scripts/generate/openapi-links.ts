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
  const rate = ` Rate ${rateOf(operation)}.`
  const csv =
    operation.table === undefined ? '' : ' As CSV with `Accept: text/csv` ([guide](/docs/guides/metrics#as-a-table)).'
  return `tRPC \`${id}\`, gRPC \`${serviceName(group)}/${name}\`.${csv}${rate} Rules: ${links.join(', ')}.`
}

/** The class that a request counts against; what trades has one of its own. */
function rateOf({ rate, trades }: Method['operation']): string {
  if (trades === undefined) return `\`${rate}\``
  return trades.counts === 'instead'
    ? `\`execute\` where it trades, else \`${rate}\``
    : `\`${rate}\`, and \`execute\` where it trades`
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
