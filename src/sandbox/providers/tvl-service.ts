import type { Service } from '../provider-server/server.ts'
import {
  type ChainData,
  type ChainFacts,
  cents,
  dayOf,
  dayOfHour,
  daySeconds,
  lastDay,
  type PoolState,
  tradedIn,
} from './chain-data.ts'

/** Chains that the sandbox does not have, with made-up figures that are marked as such. */
const syntheticChains = [
  { name: 'Ethereum', chainId: 1, tvl: 61_000_000_000 },
  { name: 'Base', chainId: 8453, tvl: 4_200_000_000 },
  { name: 'OP Mainnet', chainId: 10, tvl: 700_000_000 },
]
const syntheticDays = 90
const projects = new Map([
  ['uniswap-v2', 'Uniswap V2'],
  ['uniswap-v3', 'Uniswap V3'],
])

/** The chain's data, and the made-up chains without one that has the sandbox's own id. */
type World = ChainFacts & { others: typeof syntheticChains }

/** The TVL provider in the format of DefiLlama, with its three hosts (main, prices, yields) under one prefix. */
export function tvlService(chain: ChainData): Service {
  return {
    prefix: '/tvl',
    async respond({ method, path }) {
      const [, first = '', second = '', third = ''] = path.split('/').map(decoded)
      const answer = answers.get(first)
      if (method !== 'GET' || answer === undefined) return null
      const facts = await chain.read({ swaps: first !== 'prices' && first !== 'protocols' && first !== 'tvl' })
      const others = syntheticChains.filter(({ chainId }) => chainId !== facts.chainId)
      const json = answer({ ...facts, others }, second, third)
      return json === null ? null : { json }
    },
  }
}

/** The JSON by the first part of a path, from the next two; null where there is none. */
const answers = new Map<string, (world: World, second: string, third: string) => unknown>([
  [
    'v2',
    (world, kind, chain) =>
      kind === 'chains' ? chains(world) : kind === 'historicalChainTvl' ? history(world, chain.toLowerCase()) : null,
  ],
  ['protocols', (world) => [...projects.keys()].map((slug) => protocol(world, slug))],
  ['protocol', protocolHistory],
  ['tvl', (world, slug) => protocol(world, slug)?.tvl ?? null],
  ['prices', (world, kind, keys) => (kind === 'current' ? { coins: prices(world, keys) } : null)],
  ['pools', (world) => ({ status: 'success', data: yields(world) })],
])

function chains({ chainId, pools, others }: World) {
  const own = { name: 'Sandbox', chainId, tvl: totalOf(pools) }
  return [own, ...others.map((other) => ({ ...other, synthetic: true }))]
}

/** The history of a chain, or of all where `wanted` is empty. */
function history(world: World, wanted: string) {
  const own = dailyTvl(world, world.pools)
  if (wanted === 'sandbox') return own.map(({ date, usd }) => ({ date, tvl: usd }))
  const summed = world.others.filter(({ name }) => wanted === '' || name.toLowerCase() === wanted)
  if (wanted !== '' && summed.length === 0) return null
  const synthetic = summed.reduce((sum, { tvl }) => sum + tvl, 0)
  const ownByDate = new Map(wanted === '' ? own.map(({ date, usd }) => [date, usd]) : [])
  const first = dayOf(world.block) - syntheticDays + 1
  const dates = Array.from({ length: syntheticDays }, (_, index) => (first + index) * daySeconds)
  return dates.map((date) => ({ date, tvl: cents(synthetic + (ownByDate.get(date) ?? 0)) }))
}

/** The value of pools at the end of each day, at the prices of then: they hold what they do now, less what came later. */
function dailyTvl({ block, hours, usdAt }: World, pools: readonly PoolState[]) {
  const byPool = Map.groupBy(hours, ({ pool }) => pool)
  const own = pools.map((pool) => {
    const days = Map.groupBy(byPool.get(pool.id) ?? [], dayOfHour)
    return { ...pool, days }
  })
  const today = dayOf(block)
  const first = Math.min(today, ...own.flatMap(({ days }) => [...days.keys()]))
  const rows: { date: number; usd: number }[] = []
  for (let day = today; day >= first; day -= 1) {
    const at = Math.min((day + 1) * daySeconds, block.timestamp)
    const usd = own.reduce(
      (sum, { token0, token1, ...pool }) =>
        sum + pool.amount0 * usdAt(token0.symbol, at) + pool.amount1 * usdAt(token1.symbol, at),
      0,
    )
    rows.unshift({ date: day * daySeconds, usd: cents(usd) })
    for (const pool of own)
      for (const { amount0, amount1 } of pool.days.get(day) ?? []) {
        pool.amount0 -= amount0
        pool.amount1 -= amount1
      }
  }
  return rows
}

function poolsOf({ pools }: World, slug: string): PoolState[] {
  return pools.filter(({ version }) => slug === `uniswap-v${version}`)
}

function protocol(world: World, slug: string) {
  const name = projects.get(slug)
  if (name === undefined) return null
  return { slug, name, category: 'Dexs', chains: ['Sandbox'], tvl: totalOf(poolsOf(world, slug)) }
}

function protocolHistory(world: World, slug: string) {
  const row = protocol(world, slug)
  const days = dailyTvl(world, poolsOf(world, slug))
  const tvl = days.map(({ date, usd }) => ({ date, totalLiquidityUSD: usd }))
  return row && { ...row, currentChainTvls: { Sandbox: row.tvl }, tvl }
}

/** Prices by keys such as `sandbox:0x…`, for the tokens that have a feed. */
function prices({ chainId, ...market }: World, keys: string) {
  const tokens = market.pools.flatMap(({ token0, token1 }) => [token0, token1])
  const coins = keys.split(',').flatMap((key) => {
    const [chain = '', address = ''] = key.toLowerCase().split(':')
    const symbol = tokens.find((one) => one.address.toLowerCase() === address)?.symbol
    if (symbol === undefined || !['sandbox', String(chainId)].includes(chain)) return []
    const price = market.prices.get(symbol)
    return [[key, { symbol, price, timestamp: market.block.timestamp, confidence: 0.99 }]]
  })
  return Object.fromEntries(coins)
}

/** The pools with their yields. */
function yields({ others, ...market }: World) {
  const recent = Map.groupBy(lastDay(market), ({ pool }) => pool)
  const own = market.pools.map((pool) => {
    const { tvlUsd, token0, token1 } = pool
    const volumeUsd1d = tradedIn(recent.get(pool.id) ?? []).usd
    const fees = (volumeUsd1d * pool.feePips) / 1_000_000
    const apy = tvlUsd === 0 ? 0 : Math.round(((fees * 365) / tvlUsd) * 1e6) / 1e4
    const figures = { tvlUsd, apy, volumeUsd1d, synthetic: false }
    const symbol = `${token0.symbol}-${token1.symbol}`
    return { chain: 'Sandbox', project: `uniswap-v${pool.version}`, symbol, pool: pool.id, ...figures }
  })
  const synthetic = others.map(({ name, tvl, chainId }) => {
    const figures = { tvlUsd: tvl / 500, apy: 8.5, volumeUsd1d: tvl / 400, synthetic: true }
    return { chain: name, project: 'uniswap-v3', symbol: 'ETH-USDC', pool: `synthetic-${chainId}`, ...figures }
  })
  return [...own, ...synthetic]
}

function totalOf(pools: readonly PoolState[]): number {
  return cents(pools.reduce((sum, { tvlUsd }) => sum + tvlUsd, 0))
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
