import { z } from 'zod'
import type { Operation } from './operation.ts'

type Described = Pick<Operation, 'summary' | 'description' | 'http' | 'input'>

/** An operation as an entry of a tool list: how to call it, by the schema that checks its arguments. */
export function toolDescription(name: string, { summary, description, http, input }: Described) {
  const where = http === undefined ? [] : [`${http.method} ${http.path}`]
  return {
    name,
    description: [summary, ...(description === undefined ? [] : [description]), ...where]
      .join('. ')
      .replace(/\.\. /g, '. '),
    input_schema: z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as Record<string, unknown>,
  }
}
