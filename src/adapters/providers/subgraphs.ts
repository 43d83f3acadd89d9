import { z } from 'zod'
import { DomainError } from '../../domain/errors.ts'
import type { Sourced, Subgraphs } from '../../domain/ports/providers.ts'
import { unlessAborted } from '../node/coalesce.ts'
import { dispatcherOf, internet, type Network, refusal } from './hostile-url.ts'
import type { HttpProvider } from './http.ts'
import { attempt, type Outcome } from './http-attempt.ts'
import { errorOf, type Naming } from './http-failure.ts'
import { parseBounded } from './http-json.ts'

const answer = z.object({
  data: z.record(z.string(), z.unknown()).nullish(),
  errors: z.array(z.object({ message: z.string().catch('') })).nullish(),
})

const mostBytes = 4 * 1_048_576
const mostRedirects = 3
const attemptMs = 8_000
const naming: Naming = { name: 'The subgraph', urlSetting: 'subgraph' }

export type SubgraphOptions = {
  /** The sandbox's own subgraph, reached by exactly this address; null where there is none. */
  own: { address: string; provider: HttpProvider } | null
  /** A key, and the only host that it is sent to. */
  key: { host: string; secret: string } | null
  network?: Network
}

/**
 * Subgraphs at addresses that callers choose. Every hop is checked anew: https, a name resolved once, public addresses
 * alone, at most 3 redirects, 4 MiB and 12 levels; nothing is retried and no key follows a redirect.
 */
export function createSubgraphs({ own, key, network = internet }: SubgraphOptions): Subgraphs {
  async function hop(url: URL, body: string, headers: Record<string, string>, signal: AbortSignal): Promise<Outcome> {
    const dispatcher = await unlessAborted(dispatcherOf(url, network, 'subgraph'), signal)
    try {
      const asked = { url, method: 'POST', headers, body, mostBytes, timeoutMs: attemptMs, signal } as const
      return await attempt(dispatcher, asked)
    } finally {
      await dispatcher.destroy()
    }
  }

  async function foreign(address: URL, body: string, signal: AbortSignal): Promise<Record<string, unknown>> {
    let url = address
    const json = { 'content-type': 'application/json', accept: 'application/json' }
    const opens = key !== null && url.hostname === key.host
    let headers: Record<string, string> = opens ? { ...json, authorization: `Bearer ${key.secret}` } : json
    for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
      const outcome = await hop(url, body, headers, signal)
      if (outcome.kind !== 'reply') throw errorOf(outcome, naming)
      const { status, text } = outcome
      const next = status >= 300 && status < 400 ? URL.parse(outcome.headers.location ?? '', url.href) : null
      if (next === null) return dataOf(replied(status, text))
      url = next
      headers = json
    }
    throw refusal('subgraph', `redirects more than ${mostRedirects} times`)
  }

  return {
    async query(address, { query, variables }, signal): Promise<Sourced<Record<string, unknown>>> {
      const started = performance.now()
      const body = { query, variables }
      if (own !== null && address === own.address) {
        const asked = { path: '', body, repeatable: true, schema: answer, mostBytes, signal }
        const { value, ageMs, latencyMs } = await own.provider.ask(asked)
        return { value: dataOf(value), source: 'subgraph (sandbox)', ageMs, latencyMs }
      }
      const url = URL.parse(address)
      if (url === null) throw refusal('subgraph', 'must be an https address')
      const value = await foreign(url, JSON.stringify(body), signal)
      const latencyMs = Math.round(performance.now() - started)
      return { value, source: `subgraph (${url.hostname})`, ageMs: 0, latencyMs }
    },
  }
}

function replied(status: number, text: string): z.output<typeof answer> {
  const parsed = answer.safeParse(parseBounded(text))
  // Servers may say with any status what is wrong with a query.
  if (parsed.success && (status === 200 || (parsed.data.errors?.length ?? 0) > 0)) return parsed.data
  if (status !== 200) throw errorOf({ kind: 'status', status, words: '', retryAfterMs: null }, naming)
  throw errorOf({ kind: 'misshapen', cause: new Error('no GraphQL answer, or nested too deep') }, naming)
}

/** The data of an answer; errors are errors, whatever the status was. */
function dataOf({ data, errors }: z.output<typeof answer>): Record<string, unknown> {
  const said = errors?.map(({ message }) => message.replaceAll(/\p{C}+/gu, ' ').slice(0, 300)) ?? []
  if (said.length > 0)
    throw new DomainError('INVALID_ARGUMENT', `gql: the subgraph refuses the query: ${said.slice(0, 3).join('; ')}`)
  if (data === null || data === undefined)
    throw new DomainError('UNAVAILABLE', 'The subgraph answered no data; try again later.')
  return { data }
}
