import {
  type ChainFacts,
  cents,
  dayOfHour,
  daySeconds,
  type HourOfPool,
  type IndexedSwap,
  type PoolState,
  tradedIn,
} from './chain-data.ts'

type Page = { first: number; skip: number; orderBy?: string; orderDirection?: 'asc' | 'desc'; where?: Where }
type Where = Record<string, string | number | undefined>
type Entity = Record<string, unknown>

/** The fields of the query type, over the data of one moment. */
export function rootOf(facts: ChainFacts) {
  const byPool = Map.groupBy(facts.hours, ({ pool }) => pool)
  const pools = facts.pools.map((pool) => poolEntity(facts, pool, byPool.get(pool.id) ?? []))
  const poolOf = (wanted: string | undefined) => pools.find(({ id }) => id === wanted) ?? null
  // Few queries read all swaps, and some read them several times.
  let all: ReturnType<typeof swapEntity>[] | undefined
  const swaps = () => {
    all ??= facts.swaps.map((swap) => swapEntity(swap, poolOf(swap.pool.id)))
    return all
  }
  const tokens = new Map(pools.flatMap(({ token0, token1 }) => [token0, token1]).map((one) => [one.id, one]))
  return {
    pool: ({ id }: { id: string }) => poolOf(id.toLowerCase()),
    pools: (page: Page) => paged(pools, page),
    swap: ({ id }: { id: string }) => swaps().find((swap) => swap.id === id) ?? null,
    swaps: (page: Page) => paged(swaps(), page),
    poolDayDatas(page: Page) {
      const days = Map.groupBy(facts.hours, (hour) => `${hour.pool}-${dayOfHour(hour)}`)
      const entities = [...days].map(([id, own]) => {
        const [pool, day] = id.split('-')
        const date = Number(day) * daySeconds
        return { id, date, pool: poolOf(pool), ...traded(own) }
      })
      return paged(entities, page)
    },
    tokens: (page: Page) => paged([...tokens.values()], page),
    bundle: ({ id }: { id: string }) => ({ id, ethPriceUSD: text(facts.prices.get('WETH') ?? 0) }),
    _meta: {
      block: { number: facts.indexed, timestamp: facts.block.timestamp },
      deployment: 'sandbox',
      hasIndexingErrors: false,
    },
  }
}

function tokenEntity({ prices }: ChainFacts, { symbol, address, decimals }: PoolState['token0']) {
  const derivedUSD = text(prices.get(symbol) ?? 0)
  return { id: address.toLowerCase(), symbol, decimals: String(decimals), derivedUSD }
}

function poolEntity(facts: ChainFacts, pool: PoolState, hours: readonly HourOfPool[]) {
  return {
    id: pool.id,
    version: `v${pool.version}`,
    feeTier: String(pool.feePips),
    token0: tokenEntity(facts, pool.token0),
    token1: tokenEntity(facts, pool.token1),
    totalValueLockedToken0: text(pool.amount0),
    totalValueLockedToken1: text(pool.amount1),
    totalValueLockedUSD: text(pool.tvlUsd),
    ...traded(hours),
  }
}

function traded(hours: readonly HourOfPool[]) {
  const { usd, swaps } = tradedIn(hours)
  return { volumeUSD: text(usd), txCount: String(swaps) }
}

function swapEntity(swap: IndexedSwap, pool: ReturnType<typeof poolEntity> | null) {
  const { id, sender, recipient } = swap
  const timestamp = String(swap.timestamp)
  return {
    id,
    sender,
    recipient,
    timestamp,
    pool,
    token0: pool?.token0,
    token1: pool?.token1,
    transaction: { id: swap.transaction, blockNumber: String(swap.block), timestamp },
    amount0: text(swap.amount0),
    amount1: text(swap.amount1),
    amountUSD: text(cents(swap.usd)),
  }
}

function paged<T extends Entity>(entities: readonly T[], request: Page): T[] {
  const { first, skip, orderBy = 'id', orderDirection = 'asc', where = {} } = request
  const filters = Object.entries(where)
  const matching = entities.filter((entity) => filters.every(([name, wanted]) => matches(entity, name, wanted)))
  const sign = orderDirection === 'desc' ? -1 : 1
  return matching
    .map((entity) => ({ entity, key: String(entity[orderBy]), number: Number(entity[orderBy]) }))
    .sort((left, right) => sign * compare(left, right))
    .slice(Math.max(0, skip), Math.max(0, skip) + Math.min(1_000, Math.max(0, first)))
    .map(({ entity }) => entity)
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

type SortKey = { key: string; number: number }

/** By number where both are, else by text. */
function compare(left: SortKey, right: SortKey): number {
  const difference = left.number - right.number
  if (!Number.isNaN(difference)) return difference
  return left.key < right.key ? -1 : Number(left.key > right.key)
}

/** A number in the format of subgraphs: a decimal string without an exponent. */
function text(value: number): string {
  return value.toFixed(18).replace(/\.?0+$/, '')
}
