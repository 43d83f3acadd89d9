import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { parseJson } from '../../kit/values.ts'
import type { Service, ServiceReply } from '../provider-server/server.ts'
import { type ChainData, daySeconds, volumeOf } from './chain-data.ts'

type Row = Record<string, string | number>
type Outcome = { rows: Row[] } | { failure: string }
/** `outcome` is null while it runs. */
type Execution = { query: number; outcome: Outcome | null }

/** A query takes one parameter: a whole number from 1 to `max`. */
type Query = { parameter: string; default: number; max: number; run(chain: ChainData, count: number): Promise<Row[]> }

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
    const execution: Execution = { query: number, outcome: null }
    executions.set(id, execution)
    for (const oldest of executions.keys()) if (executions.size > maxExecutions) executions.delete(oldest)
    void outcomeOf(chain, query, given.data.query_parameters).then((outcome) => {
      execution.outcome = outcome
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
      if (what === 'status') return { json: statusOf(id, execution) }
      // An execution of the sandbox has ended before anybody can cancel it.
      if (what === 'cancel' && method === 'POST') return { json: { success: true } }
      if (what !== 'results') return null
      const limit = Math.min(maxRows, Math.max(1, Number(query.get('limit') ?? maxRows)))
      const offset = Math.max(0, Number(query.get('offset') ?? 0))
      return { json: resultsOf(id, execution, limit, offset) }
    },
  }
}

async function outcomeOf(
  chain: ChainData,
  { parameter, default: usual, max, run }: Query,
  given: Readonly<Record<string, string | number>>,
): Promise<Outcome> {
  const unknown = Object.keys(given).find((name) => name !== parameter)
  if (unknown !== undefined)
    return { failure: `Unknown parameter ${unknown.slice(0, 64)}; the query takes ${parameter}` }
  const count = Number(given[parameter] ?? usual)
  if (!Number.isInteger(count) || count < 1 || count > max)
    return { failure: `${parameter} must be a whole number from 1 to ${max}` }
  return await run(chain, count).then(
    (rows) => ({ rows }),
    () => ({ failure: 'The chain did not respond' }),
  )
}

function statusOf(id: string, { query, outcome }: Execution) {
  const failure = outcome !== null && 'failure' in outcome ? outcome.failure : null
  const state = outcome === null ? 'EXECUTING' : failure === null ? 'COMPLETED' : 'FAILED'
  const error = failure === null ? {} : { error: { type: 'FAILED_TYPE_EXECUTION_FAILED', message: failure } }
  return {
    execution_id: id,
    query_id: query,
    state: `QUERY_STATE_${state}`,
    is_execution_finished: outcome !== null,
    ...error,
  }
}

function resultsOf(id: string, execution: Execution, limit: number, offset: number) {
  const status = statusOf(id, execution)
  const { outcome } = execution
  if (outcome === null || 'failure' in outcome) return status
  const rows = outcome.rows.slice(offset, offset + limit)
  const next = offset + limit
  const metadata = {
    column_names: Object.keys(outcome.rows[0] ?? {}),
    row_count: rows.length,
    total_row_count: outcome.rows.length,
  }
  return { ...status, result: { rows, metadata }, ...(next < outcome.rows.length ? { next_offset: next } : {}) }
}

const queries: Readonly<Record<number, Query>> = {
  1: { parameter: 'limit', default: 100, max: 100, run: poolsByValue },
  2: { parameter: 'days', default: 30, max: 365, run: volumeByDay },
  3: { parameter: 'limit', default: 10, max: 1_000, run: largestSwaps },
}

async function poolsByValue(chain: ChainData, limit: number): Promise<Row[]> {
  const { pools, block } = await chain.market()
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

async function volumeByDay(chain: ChainData, days: number): Promise<Row[]> {
  const [market, { swaps }] = await Promise.all([chain.market(), chain.swaps()])
  const today = Math.floor(market.block.timestamp / daySeconds)
  const byDay = Map.groupBy(swaps, ({ timestamp }) => Math.floor(timestamp / daySeconds))
  return Array.from({ length: days }, (_, index) => today - index).map((day) => {
    const own = byDay.get(day) ?? []
    return {
      day: new Date(day * daySeconds * 1_000).toISOString().slice(0, 10),
      volume_usd: volumeOf(market, own),
      swaps: own.length,
    }
  })
}

async function largestSwaps(chain: ChainData, limit: number): Promise<Row[]> {
  const [market, { swaps }] = await Promise.all([chain.market(), chain.swaps()])
  return swaps
    .map((swap) => ({ swap, value: volumeOf(market, [swap]) }))
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
