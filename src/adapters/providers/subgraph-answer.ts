import { z } from 'zod'
import { DomainError } from '../../domain/core/errors.ts'
import type { Outcome } from './http-attempt.ts'
import { errorOf, type Naming, retryAfter, unread } from './http-failure.ts'
import { parseBounded } from './http-json.ts'

/** An answer of GraphQL, before it is known whether it holds data or errors. */
export const graphAnswer = z.object({
  data: z.record(z.string(), z.unknown()).nullish(),
  errors: z.array(z.object({ message: z.string().catch('') })).nullish(),
})

/** Servers may say with any status what is wrong with a query; another failure is UNAVAILABLE or as its status says. */
export function repliedBy(
  { status, text, headers }: Extract<Outcome, { kind: 'reply' }>,
  naming: Naming,
): z.output<typeof graphAnswer> {
  const read = parseBounded(text)
  const parsed = graphAnswer.safeParse('value' in read ? read.value : undefined)
  if (parsed.success && (status === 200 || (parsed.data.errors?.length ?? 0) > 0)) return parsed.data
  if (status === 200 && 'fault' in read) throw errorOf(unread(read.fault), naming)
  const retryAfterMs = retryAfter(headers['retry-after'], new Date())
  if (status !== 200) throw errorOf({ kind: 'status', status, words: '', retryAfterMs }, naming)
  throw errorOf({ kind: 'misshapen', cause: new Error('no GraphQL answer') }, naming)
}

/** How the networks behind subgraphs say in a 200 that it is they who fail, or who is to pay, and not the query. */
const outage =
  /bad indexers|unavailable|no indexers|time[d ]*out|rate limit|too many requests|internal.* error|store error/i
const unpaid = /auth error|api key|unauthorized|payment required/i

/** The data of an answer; errors are errors, whatever the status was, and `gql` is wrong where nothing else is named. */
export function dataOf(
  { data, errors }: z.output<typeof graphAnswer>,
  { name, urlSetting, keySetting = urlSetting }: Naming,
): Record<string, unknown> {
  const said = errors?.map(({ message }) => message.replaceAll(/\p{C}+/gu, ' ').slice(0, 300)) ?? []
  if (said.length > 0) {
    const words = said.slice(0, 3).join('; ')
    const cause = new Error(words)
    if (unpaid.test(words))
      throw new DomainError('UNAVAILABLE', `${name} refuses the gateway: check ${keySetting}.`, {}, cause)
    if (outage.test(words))
      throw new DomainError('UNAVAILABLE', `${name} cannot answer: ${words}; try again in a moment.`, {}, cause)
    const message = `the subgraph refuses the query: ${words}`
    const violations = [{ path: 'gql', message, code: 'refused' }]
    throw new DomainError('INVALID_ARGUMENT', `gql: ${message}`, { violations }, cause)
  }
  if (data === null || data === undefined)
    throw new DomainError('UNAVAILABLE', `${name} answered no data; try again later.`)
  return { data }
}
