import { z } from 'zod'
import { type ErrorCode, errorTable, type Violation } from './errors.ts'
import { bounds } from './limits.ts'

const codes = Object.keys(errorTable) as ErrorCode[]

const violation = z
  .object({
    path: z.string().describe('The field, in dots, such as input.amount_in; empty for the whole'),
    message: z.string().describe('What is wrong with it'),
    code: z.string().describe('Name of the rule, such as too_big'),
  })
  .meta({ id: 'Violation', description: 'A broken rule of the input' }) satisfies z.ZodType<Violation>

/** What an error tells a program, on REST in a problem document and on tRPC beside its own fields. */
export const errorFacts = z.object({
  // The one refusal that only HTTP knows: the path exists, the method does not.
  code: z.enum([...codes, 'METHOD_NOT_ALLOWED']).describe('The code, for programs'),
  request_id: z.string().describe('Id of the request, for reports'),
  errors: z
    .array(violation)
    .max(bounds.violationsListed)
    .optional()
    .describe('The broken rules of an input, where that is the reason'),
  retry_after_seconds: z.number().optional().describe('Seconds to wait before the same request can succeed'),
  metadata: z.record(z.string(), z.string()).optional().describe('Facts a program may act on'),
})

/** A problem document; `errors` names the broken fields of a 422. */
export const problem = z
  .object({
    type: z.url().describe('Kind of the problem, one for each code'),
    title: z.string().describe('The code in words'),
    // Without a format, which would give it another type in generated clients than it has.
    status: z.number().meta({ type: 'integer', description: 'The HTTP status' }),
    detail: z.string().describe('What happened and what to do next'),
    ...errorFacts.shape,
  })
  .meta({ id: 'Problem', description: 'Why a request was refused, or failed (RFC 9457)' })

export type Problem = z.output<typeof problem>
