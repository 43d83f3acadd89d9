import { z } from 'zod'
import { DomainError } from '../../domain/core/errors.ts'
import type { Outcome } from './http-attempt.ts'
import { errorOf, type Naming, retryAfter, unread } from './http-failure.ts'
import { parseBounded } from './http-json.ts'

/** A GraphQL response, with data or errors. */
export const graphResponse = z.object({
  data: z.record(z.string(), z.unknown()).nullish(),
  errors: z.array(z.object({ message: z.string().catch('') })).nullish(),
})

/** Parses a response: servers can return GraphQL errors with any status. Other failures become errors by their status. */
export function parseResponse(
  { status, text, headers }: Extract<Outcome, { kind: 'reply' }>,
  naming: Naming,
): z.output<typeof graphResponse> {
  const read = parseBounded(text)
  const parsed = graphResponse.safeParse('value' in read ? read.value : undefined)
  if (parsed.success && (status === 200 || (parsed.data.errors?.length ?? 0) > 0)) return parsed.data
  if (status === 200 && 'fault' in read) throw errorOf(unread(read.fault), naming)
  const retryAfterMs = retryAfter(headers['retry-after'], new Date())
  if (status !== 200) throw errorOf({ kind: 'status', status, message: '', retryAfterMs }, naming)
  throw errorOf({ kind: 'misshapen', cause: new Error('not a GraphQL response') }, naming)
}

/** Messages with which subgraph networks report, with status 200, their own failures or a missing payment. */
const outage =
  /bad indexers|unavailable|no indexers|time[d ]*out|rate limit|too many requests|internal.* error|store error/i
const unpaid = /auth error|api key|unauthorized|payment required/i

/** The data of a response. Errors are thrown, as INVALID_ARGUMENT of `gql` unless they name another cause. */
export function dataOf(
  { data, errors }: z.output<typeof graphResponse>,
  { name, urlSetting, keySetting = urlSetting }: Naming,
): Record<string, unknown> {
  const messages = errors?.map(({ message }) => message.replaceAll(/\p{C}+/gu, ' ').slice(0, 300)) ?? []
  if (messages.length > 0) {
    const text = messages.slice(0, 3).join('; ')
    const cause = new Error(text)
    if (unpaid.test(text))
      throw new DomainError('UNAVAILABLE', `${name} refuses the gateway's key. Check ${keySetting}.`, {}, cause)
    if (outage.test(text))
      throw new DomainError('UNAVAILABLE', `${name} cannot respond: ${text}. Try again in a moment.`, {}, cause)
    const message = `the subgraph refuses the query: ${text}`
    const violations = [{ path: 'gql', message, code: 'refused' }]
    throw new DomainError('INVALID_ARGUMENT', `gql: ${message}`, { violations }, cause)
  }
  if (data === null || data === undefined)
    throw new DomainError('UNAVAILABLE', `${name} returned no data. Try again later.`)
  return { data }
}
