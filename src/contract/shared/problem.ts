import { z } from 'zod'
import { type ErrorCode, errorTable, type Violation } from './errors.ts'
import { bounds } from './limits.ts'

const codes = Object.keys(errorTable) as ErrorCode[]

const violation = z
  .object({
    path: z.string().describe('Path of the field with dots, such as input.amount_in; empty for the whole input'),
    message: z.string().describe('What is wrong with it'),
    code: z.string().describe('Name of the rule, such as too_big'),
  })
  .meta({ id: 'Violation', description: 'A violation of the input schema' }) satisfies z.ZodType<Violation>

/** The facts of an error for programs, on REST in a problem document and on tRPC in addition to its own fields. */
export const errorFacts = z.object({
  // METHOD_NOT_ALLOWED is the one refusal that only HTTP has.
  code: z.enum([...codes, 'METHOD_NOT_ALLOWED']).describe('The code, for programs'),
  request_id: z.string().describe('Id of the request, for reports'),
  errors: z.array(violation).max(bounds.violationsListed).optional().describe('The violations of an invalid input'),
  retry_after_seconds: z.number().optional().describe('Seconds to wait before the same request can succeed'),
  metadata: z.record(z.string(), z.string()).optional().describe('Facts for programs'),
})

/** A problem document; `errors` names the invalid fields of a 422. */
export const problem = z
  .object({
    type: z.url().describe('Kind of the problem, one for each code'),
    title: z.string().describe('Title of the code'),
    // The text has no format, so that generated clients have the right type.
    status: z.number().meta({ type: 'integer', description: 'The HTTP status' }),
    detail: z.string().describe('What happened and what to do next'),
    ...errorFacts.shape,
  })
  .meta({ id: 'Problem', description: 'Why a request was refused or failed (RFC 9457)' })

export type Problem = z.output<typeof problem>
