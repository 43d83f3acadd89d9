import { z } from 'zod'
import { timeLimit } from '../../domain/core/time-limit.ts'
import type { SubgraphBlock, Subgraphs } from '../../domain/ports/providers.ts'
import type { Sourced } from '../../domain/ports/sourced.ts'
import { unlessAborted } from '../async/single-flight.ts'
import { dispatcherOf, internet, type Network, refusal } from './hostile-url.ts'
import type { HttpProvider } from './http.ts'
import { attempt, type Outcome } from './http-attempt.ts'
import { errorOf, type Naming } from './http-failure.ts'
import { dataOf, graphAnswer, repliedBy } from './subgraph-answer.ts'

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

  function withoutKey(outcome: Extract<Outcome, { kind: 'reply' }>) {
    return { ...outcome, text: key === null ? outcome.text : outcome.text.replaceAll(key.secret, '***') }
  }

  async function foreign(address: URL, body: string, signal: AbortSignal): Promise<Record<string, unknown>> {
    let url = address
    const json = { 'content-type': 'application/json', accept: 'application/json' }
    const opens = key !== null && url.hostname === key.host
    let headers: Record<string, string> = opens ? { ...json, authorization: `Bearer ${key.secret}` } : json
    for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
      const outcome = await hop(url, body, headers, signal)
      if (outcome.kind !== 'reply') throw errorOf(outcome, naming)
      const { status, headers: said } = outcome
      if (status < 300 || status >= 400) {
        const named = 'authorization' in headers ? { ...naming, keySetting: 'SUBGRAPH_API_KEY' } : naming
        return dataOf(repliedBy(withoutKey(outcome), named), named)
      }
      const next = said.location === undefined ? null : URL.parse(said.location, url.href)
      if (next === null) throw errorOf({ kind: 'misshapen', cause: new Error('redirect to nowhere') }, naming)
      url = next
      headers = json
    }
    throw refusal('subgraph', `redirects more than ${mostRedirects} times`)
  }

  /** The answer of either, which must hold data. */
  async function ask(address: string, body: Body, signal: AbortSignal): Promise<Sourced<Record<string, unknown>>> {
    const started = performance.now()
    if (own !== null && address === own.address) {
      const asked = { path: '', body, repeatable: true, schema: graphAnswer, mostBytes, signal }
      const { value, ageMs, latencyMs } = await own.provider.ask(asked)
      return { value: dataOf(value, naming), source: 'subgraph (sandbox)', ageMs, latencyMs }
    }
    const url = URL.parse(address)
    if (url === null) throw refusal('subgraph', 'must be an https address')
    const value = await foreign(url, JSON.stringify(body), signal)
    const latencyMs = Math.round(performance.now() - started)
    return { value, source: `subgraph (${url.hostname})`, ageMs: 0, latencyMs }
  }

  /** Asked by itself, since the query stays as the caller wrote it; null where the server does not know the question. */
  async function newestBlock(address: string, signal: AbortSignal): Promise<SubgraphBlock | null> {
    const body = { query: blockQuery, variables: {} }
    const asked = ask(address, body, AbortSignal.any([signal, timeLimit(blockMs)]))
    return await asked.then(({ value }) => blockOf(value)).catch(() => null)
  }

  return {
    async query(address, { query, variables }, signal) {
      const answered = await ask(address, { query, variables }, signal)
      return { ...answered, block: blockOf(answered.value) ?? (await newestBlock(address, signal)) }
    },
  }
}

type Body = { query: string; variables: Readonly<Record<string, unknown>> }

const blockQuery = '{ _meta { block { number timestamp } } }'
/** How much longer than the data its block is waited for, in milliseconds. */
const blockMs = 1_000

const meta = z.object({
  data: z.object({
    _meta: z.object({ block: z.object({ number: z.int().min(0), timestamp: z.int().min(0).max(8e12).nullish() }) }),
  }),
})

/** What an answer says of its block; null where it says nothing. */
function blockOf(value: unknown): SubgraphBlock | null {
  const block = meta.safeParse(value).data?.data._meta.block
  if (block === undefined) return null
  return { number: block.number, at: typeof block.timestamp === 'number' ? new Date(block.timestamp * 1_000) : null }
}
