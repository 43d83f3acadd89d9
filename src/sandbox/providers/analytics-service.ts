import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { parseJson } from '../../kit/values.ts'
import type { Service, ServiceReply } from '../provider-server/server.ts'
import { type ChainData, type ChainFacts, cents, dayOf, dayOfHour, daySeconds, tradedIn } from './chain-data.ts'

type Row = Record<string, string | number>
/** `rows` is null while it runs, and where it has failed. */
type Execution = { status: object; rows: readonly Row[] | null }

/** A query takes one parameter: a whole number from 1 to `max`. */
type Query = { parameter: string; default: number; max: number; rows(facts: ChainFacts, count: number): Row[] }

const body = z.object({ query_parameters: z.record(z.string(), z.union([z.string(), z.number()])).default({}) })
const maxExecutions = 1_000
const maxRows = 10_000

/** The analytics provider in the format of Dune, with three queries over the chain's public data. */
export function analyticsService(chain: ChainData): Service {
  const executions = new Map<string, Execution>()

  function execute(number: number, text: string): ServiceReply {
    const query = queries[number]
    if (query === undefined) return { status: 404, json: { error: `Query ${number} not found; there are 1, 2 and 3` } }
    const given = body.safeParse(text === '' ? {} : parseJson(text))
    if (!given.success) return { status: 400, json: { error: 'query_parameters must hold texts and numbers' } }
    const id = `01SANDBOX${randomBytes(9).toString('hex').toUpperCase()}`
    const status = { execution_id: id, state: 'QUERY_STATE_EXECUTING', is_execution_finished: false }
    executions.set(id, { status, rows: null })
    for (const oldest of executions.keys()) if (executions.size > maxExecutions) executions.delete(oldest)
    void outcomeOf(chain, query, given.data.query_parameters).then((outcome) => {
      const ended = { execution_id: id, is_execution_finished: true, ...statusOf(outcome) }
      executions.set(id, { status: ended, rows: typeof outcome === 'string' ? null : outcome })
    })
    return { json: { execution_id: id, state: 'QUERY_STATE_PENDING' } }
  }

  return {
    prefix: '/analytics',
    async respond({ method, path, query, body: text }) {
      const [, v1, kind, id = '', what] = path.split('/')
      if (v1 !== 'v1') return null
      if (kind === 'query' && what === 'execute' && method === 'POST') return execute(Number(id), text)
      const execution = kind === 'execution' ? executions.get(id) : undefined
      if (execution === undefined) return { status: 404, json: { error: 'Execution not found' } }
      const { status, rows } = execution
      // An execution of the sandbox has ended before anybody can cancel it.
      if (what === 'cancel' && method === 'POST') return { json: { success: true } }
      if (what === 'status' || (what === 'results' && rows === null)) return { json: status }
      if (what !== 'results' || rows === null) return null
      const offset = Math.max(0, Number(query.get('offset') ?? 0))
      const next = offset + Math.min(maxRows, Math.max(1, Number(query.get('limit') ?? maxRows)))
      const more = next < rows.length ? { next_offset: next } : {}
      return { json: { ...status, result: { rows: rows.slice(offset, next) }, ...more } }
    },
  }
}

/** The rows, or why there are none. */
async function outcomeOf(
  chain: ChainData,
  { parameter, default: usual, max, rows }: Query,
  given: Readonly<Record<string, string | number>>,
): Promise<Row[] | string> {
  const unknown = Object.keys(given).find((name) => name !== parameter)
  if (unknown !== undefined) return `Unknown parameter ${unknown.slice(0, 64)}; the query takes ${parameter}`
  const count = Number(given[parameter] ?? usual)
  if (!Number.isInteger(count) || count < 1 || count > max)
    return `${parameter} must be a whole number from 1 to ${max}`
  try {
    return rows(await chain.read({ swaps: true }), count)
  } catch {
    return 'The chain did not respond'
  }
}

function statusOf(outcome: Row[] | string) {
  if (typeof outcome !== 'string') return { state: 'QUERY_STATE_COMPLETED' }
  return { state: 'QUERY_STATE_FAILED', error: { type: 'FAILED_TYPE_EXECUTION_FAILED', message: outcome } }
}

const queries: Readonly<Record<number, Query>> = {
  1: { parameter: 'limit', default: 100, max: 100, rows: poolsByValue },
  2: { parameter: 'days', default: 30, max: 365, rows: volumeByDay },
  3: { parameter: 'limit', default: 10, max: 1_000, rows: largestSwaps },
}

function poolsByValue({ pools, block }: ChainFacts, limit: number): Row[] {
  return [...pools]
    .sort((left, right) => right.tvlUsd - left.tvlUsd)
    .slice(0, limit)
    .map((pool) => ({
      pool: pool.id,
      venue: `uniswap_v${pool.version}`,
      fee_bps: pool.feePips / 100,
      token0: pool.token0.symbol,
      token1: pool.token1.symbol,
      amount0: pool.amount0,
      amount1: pool.amount1,
      tvl_usd: pool.tvlUsd,
      block: block.number,
    }))
}

function volumeByDay(facts: ChainFacts, days: number): Row[] {
  const byDay = Map.groupBy(facts.hours, dayOfHour)
  return Array.from({ length: days }, (_, index) => dayOf(facts.block) - index).map((day) => {
    const { usd, swaps } = tradedIn(byDay.get(day) ?? [])
    const date = new Date(day * daySeconds * 1_000).toISOString().slice(0, 10)
    return { day: date, volume_usd: usd, swaps }
  })
}

function largestSwaps(facts: ChainFacts, limit: number): Row[] {
  return facts.swaps
    .map((swap) => ({ swap, value: cents(swap.usd) }))
    .sort((left, right) => right.value - left.value || left.swap.block - right.swap.block)
    .slice(0, limit)
    .map(({ swap, value }) => ({
      at: new Date(swap.timestamp * 1_000).toISOString(),
      block: swap.block,
      tx_hash: swap.transaction,
      pool: swap.pool.id,
      pair: `${swap.pool.token0.symbol}/${swap.pool.token1.symbol}`,
      amount0: swap.amount0,
      amount1: swap.amount1,
      value_usd: value,
    }))
}
