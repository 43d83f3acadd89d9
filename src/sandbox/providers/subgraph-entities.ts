import { daySeconds, volumeOf } from './chain-data.ts'
import type { MarketFacts, PoolState } from './market-facts.ts'
import type { IndexedSwap } from './swap-index.ts'

type Page = { first: number; skip: number; orderBy?: string; orderDirection?: 'asc' | 'desc'; where?: Where }
type Where = Record<string, string | number | undefined>
type Entity = Record<string, unknown>

/** The fields of the query type, over the data of one moment. */
export function rootOf(market: MarketFacts, swaps: readonly IndexedSwap[], block: number) {
  const swapsByPool = Map.groupBy(swaps, ({ pool }) => pool.id)
  const pools = new Map(
    market.pools.map((pool) => [pool.id as string, poolEntity(market, pool, swapsByPool.get(pool.id) ?? [])]),
  )
  const swapEntities = once(() => swaps.map((swap) => swapEntity(market, swap, pools.get(swap.pool.id))))
  const days = once(() => dayEntities(market, swaps, pools))
  const tokens = new Map(
    [...pools.values()].flatMap(({ token0, token1 }) => [token0, token1]).map((one) => [one.id, one]),
  )
  return {
    pool: ({ id }: { id: string }) => pools.get(id.toLowerCase()) ?? null,
    pools: (page: Page) => paged([...pools.values()], page),
    swap: ({ id }: { id: string }) => swapEntities().find((swap) => swap.id === id) ?? null,
    swaps: (page: Page) => paged(swapEntities(), page),
    poolDayDatas: (page: Page) => paged(days(), page),
    tokens: (page: Page) => paged([...tokens.values()], page),
    bundle: ({ id }: { id: string }) => ({ id, ethPriceUSD: text(market.prices.get('WETH') ?? 0) }),
    _meta: {
      block: { number: block, timestamp: market.block.timestamp },
      deployment: 'sandbox',
      hasIndexingErrors: false,
    },
  }
}

function tokenEntity(market: MarketFacts, { symbol, address, decimals }: PoolState['token0']) {
  return {
    id: address.toLowerCase(),
    symbol,
    decimals: String(decimals),
    derivedUSD: text(market.prices.get(symbol) ?? 0),
  }
}

function poolEntity(market: MarketFacts, pool: PoolState, swaps: readonly IndexedSwap[]) {
  return {
    id: pool.id,
    version: `v${pool.version}`,
    feeTier: String(pool.feePips),
    token0: tokenEntity(market, pool.token0),
    token1: tokenEntity(market, pool.token1),
    totalValueLockedToken0: text(pool.amount0),
    totalValueLockedToken1: text(pool.amount1),
    totalValueLockedUSD: text(pool.tvlUsd),
    volumeUSD: text(volumeOf(market, swaps)),
    txCount: String(swaps.length),
  }
}

function swapEntity(market: MarketFacts, swap: IndexedSwap, pool: ReturnType<typeof poolEntity> | undefined) {
  const { id, sender, recipient, timestamp } = swap
  return {
    id,
    sender,
    recipient,
    timestamp: String(timestamp),
    pool,
    token0: pool?.token0,
    token1: pool?.token1,
    transaction: { id: swap.transaction, blockNumber: String(swap.block), timestamp: String(timestamp) },
    amount0: text(swap.amount0),
    amount1: text(swap.amount1),
    amountUSD: text(volumeOf(market, [swap])),
  }
}

function dayEntities(
  market: MarketFacts,
  swaps: readonly IndexedSwap[],
  pools: ReadonlyMap<string, ReturnType<typeof poolEntity>>,
) {
  const dayOf = ({ timestamp }: IndexedSwap) => Math.floor(timestamp / daySeconds)
  const groups = Map.groupBy(swaps, (swap) => `${swap.pool.id}-${dayOf(swap)}`)
  return [...groups].map(([id, own]) => ({
    id,
    date: Number(id.split('-')[1]) * daySeconds,
    pool: pools.get(id.split('-')[0] ?? ''),
    volumeUSD: text(volumeOf(market, own)),
    txCount: String(own.length),
  }))
}

function paged<T extends Entity>(entities: readonly T[], request: Page): T[] {
  const { first, skip, orderBy = 'id', orderDirection = 'asc', where = {} } = request
  const filters = Object.entries(where)
  const matching = entities.filter((entity) => filters.every(([name, wanted]) => matches(entity, name, wanted)))
  const sign = orderDirection === 'desc' ? -1 : 1
  const sorted = matching
    .map((entity) => ({ entity, ...sortKey(entity[orderBy]) }))
    .sort((a, b) => sign * compare(a, b))
  const page = sorted.slice(Math.max(0, skip), Math.max(0, skip) + Math.min(1_000, Math.max(0, first)))
  return page.map(({ entity }) => entity)
}

function matches(entity: Entity, name: string, wanted: string | number | undefined): boolean {
  const [field = '', operator] = name.split('_')
  const value = entity[field]
  const own = typeof value === 'object' && value !== null && 'id' in value ? value.id : value
  if (operator === undefined) return String(own).toLowerCase() === String(wanted).toLowerCase()
  const difference = Number(own) - Number(wanted)
  if (operator === 'gt') return difference > 0
  return operator === 'gte' ? difference >= 0 : difference < 0
}

type SortKey = { number: number; text: string }

function sortKey(value: unknown): SortKey {
  return { number: Number(value), text: String(value) }
}

function compare(left: SortKey, right: SortKey): number {
  if (!Number.isNaN(left.number) && !Number.isNaN(right.number)) return left.number - right.number
  return left.text < right.text ? -1 : Number(left.text > right.text)
}

/** Computes a value at the first call, and returns the same one afterwards. */
function once<T>(compute: () => T): () => T {
  let computed: { value: T } | null = null
  return () => {
    computed ??= { value: compute() }
    return computed.value
  }
}

/** A number in the format of subgraphs: a decimal string without an exponent. */
function text(value: number): string {
  return value.toFixed(18).replace(/\.?0+$/, '')
}
