import { z } from 'zod'
import { DomainError } from '../../domain/core/errors.ts'
import type { Sourced, SubgraphBlock, Subgraphs } from '../../domain/ports/providers.ts'
import { timeLimit } from '../../kit/time-limit.ts'
import { createQueues } from '../async/queue.ts'
import { unlessAborted } from '../async/single-flight.ts'
import { dispatcherOf, internet, type Network, refusal } from './hostile-url.ts'
import type { HttpProvider } from './http.ts'
import { attempt, type Outcome } from './http-attempt.ts'
import { errorOf, type Naming, retryAfter, unread } from './http-failure.ts'
import { parseBounded } from './http-json.ts'

const mostBytes = 4 * 1_048_576
const mostRedirects = 3
const attemptMs = 8_000
/** Look-ups of host names of one account at once, and those that wait. */
const mostLookUps = {
  atOnce: 3,
  waiting: 30,
  full: 'Too many host names are being looked up; try again in a few seconds.',
}
const naming: Naming = { name: 'The subgraph', urlSetting: 'subgraph' }

type SubgraphOptions = {
  /** The sandbox's own subgraph, used for exactly this URL; null where there is none. */
  own: { address: string; provider: HttpProvider } | null
  /** A key, and the only host that receives it. */
  key: { host: string; secret: string } | null
  network?: Network
}

/**
 * Subgraphs at URLs that callers choose. Every hop is checked: https, a host name resolved once, public IP addresses
 * alone, at most 3 redirects, 4 MiB and 12 levels. Nothing is retried, and no key follows a redirect.
 */
export function createSubgraphs({ own, key, network = internet() }: SubgraphOptions): Subgraphs {
  const lookUps = createQueues<number>(mostLookUps)

  /** The network as one account has it: it looks up few names at once. */
  const networkOf = (account: number): Network => ({
    ...network,
    resolve: async (host, signal) => await lookUps(account, () => network.resolve(host, signal)),
  })

  async function hop(url: URL, body: string, headers: Record<string, string>, by: Asker): Promise<Outcome> {
    const { signal } = by
    const dispatcher = await unlessAborted(dispatcherOf(url, networkOf(by.account), 'subgraph', signal), signal)
    try {
      const request = { url, method: 'POST', headers, body, mostBytes, timeoutMs: attemptMs, signal } as const
      return await attempt(dispatcher, request)
    } finally {
      await dispatcher.destroy()
    }
  }

  function withoutKey(outcome: Extract<Outcome, { kind: 'reply' }>) {
    return { ...outcome, text: key === null ? outcome.text : outcome.text.replaceAll(key.secret, '***') }
  }

  async function foreign(address: URL, body: string, by: Asker): Promise<Record<string, unknown>> {
    let url = address
    const json = { 'content-type': 'application/json', accept: 'application/json' }
    const usesKey = key !== null && url.hostname === key.host
    let headers: Record<string, string> = usesKey ? { ...json, authorization: `Bearer ${key.secret}` } : json
    for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
      const outcome = await hop(url, body, headers, by)
      if (outcome.kind !== 'reply') throw errorOf(outcome, naming)
      const { status, headers: received } = outcome
      if (status < 300 || status >= 400) {
        const named = 'authorization' in headers ? { ...naming, keySetting: 'SUBGRAPH_API_KEY' } : naming
        return dataOf(parseResponse(withoutKey(outcome), named), named)
      }
      const next = received.location === undefined ? null : URL.parse(received.location, url.href)
      if (next === null) throw errorOf({ kind: 'misshapen', cause: new Error('redirect without a location') }, naming)
      url = next
      headers = json
    }
    throw refusal('subgraph', `redirects more than ${mostRedirects} times`)
  }

  /** Sends a query to the sandbox's own subgraph or another one; the response must have data. */
  async function send(address: string, body: Body, by: Asker): Promise<Sourced<Record<string, unknown>>> {
    const started = performance.now()
    if (own !== null && address === own.address) {
      const request = { path: '', body, repeatable: true, schema: graphResponse, mostBytes, signal: by.signal }
      const { value, ageMs, latencyMs } = await own.provider.request(request)
      return { value: dataOf(value, naming), source: 'subgraph (sandbox)', ageMs, latencyMs }
    }
    const url = URL.parse(address)
    if (url === null) throw refusal('subgraph', 'must be an https URL')
    const value = await foreign(url, JSON.stringify(body), by)
    const latencyMs = Math.round(performance.now() - started)
    return { value, source: `subgraph (${url.hostname})`, ageMs: 0, latencyMs }
  }

  /** The newest block by a query of its own, for the caller's query is not changed; null where the server does not support it. */
  async function newestBlock(address: string, { account, signal }: Asker): Promise<SubgraphBlock | null> {
    const body = { query: blockQuery, variables: {} }
    const response = send(address, body, { account, signal: AbortSignal.any([signal, timeLimit(blockMs)]) })
    return await response.then(({ value }) => blockOf(value)).catch(() => null)
  }

  return {
    async query(address, { query, variables }, by) {
      const response = await send(address, { query, variables }, by)
      return { ...response, block: blockOf(response.value) ?? (await newestBlock(address, by)) }
    },
  }
}

/** For whom a query is made. */
type Asker = Parameters<Subgraphs['query']>[2]

type Body = { query: string; variables: Readonly<Record<string, unknown>> }

const blockQuery = '{ _meta { block { number timestamp } } }'
/** How much longer to wait for the block than for the data. */
const blockMs = 1_000

const meta = z.object({
  data: z.object({
    _meta: z.object({ block: z.object({ number: z.int().min(0), timestamp: z.int().min(0).max(8e12).nullish() }) }),
  }),
})

/** The block of a response; null where it has none. */
function blockOf(value: unknown): SubgraphBlock | null {
  const block = meta.safeParse(value).data?.data._meta.block
  if (block === undefined) return null
  return { number: block.number, at: typeof block.timestamp === 'number' ? new Date(block.timestamp * 1_000) : null }
}

/** A GraphQL response, with data or errors. */
const graphResponse = z.object({
  data: z.record(z.string(), z.unknown()).nullish(),
  errors: z.array(z.object({ message: z.string().catch('') })).nullish(),
})

/** Parses a response: servers can return GraphQL errors with any status. Other failures become errors by their status. */
function parseResponse(
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
function dataOf(
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
