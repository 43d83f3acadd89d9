import type { Service, ServiceReply } from '../provider-server/server.ts'
import { type ChainData, daySeconds, volumeOf, worthOf } from './chain-data.ts'
import { cents, type MarketFacts, type PoolState } from './market-facts.ts'
import type { IndexedSwap } from './swap-index.ts'

/** Chains that the sandbox does not have, with made-up figures that are marked as such. */
const syntheticChains = [
  { name: 'Ethereum', chainId: 1, tvl: 61_000_000_000 },
  { name: 'Base', chainId: 8453, tvl: 4_200_000_000 },
  { name: 'OP Mainnet', chainId: 10, tvl: 700_000_000 },
]
const syntheticDays = 90
const projects = ['uniswap-v2', 'uniswap-v3'] as const
type Project = (typeof projects)[number]

/** The TVL provider in the format of DefiLlama, with its three hosts (main, prices, yields) under one prefix. */
export function tvlService(chain: ChainData): Service {
  return {
    prefix: '/tvl',
    async respond({ method, path }) {
      if (method !== 'GET') return null
      const [, first, second, third] = path.split('/').map(decoded)
      switch (first) {
        case 'v2':
          if (second === 'chains') return { json: chainRows(await chain.market(), chain.chainId) }
          return second === 'historicalChainTvl' ? await history(chain, third) : null
        case 'protocols': {
          const market = await chain.market()
          return { json: projects.map((slug) => protocolWithTvl(slug, chain, market)) }
        }
        case 'protocol':
          return await protocol(chain, second)
        case 'tvl':
          return isProject(second) ? { json: tvlOf(await chain.market(), second) } : null
        case 'prices':
          return second === 'current' ? prices(await chain.market(), chain, third ?? '') : null
        case 'pools':
          return await pools(chain)
        default:
          return null
      }
    },
  }
}

function chainRows(market: MarketFacts, chainId: number) {
  const rest = { gecko_id: null, cmcId: null, tokenSymbol: 'ETH' }
  const own = { ...rest, name: 'Sandbox', chainId, tvl: totalOf(market.pools) }
  return [own, ...otherChains(chainId).map((other) => ({ ...rest, ...other, synthetic: true }))]
}

async function history(chain: ChainData, wanted: string | undefined): Promise<ServiceReply | null> {
  const market = await chain.market()
  const own = async () => dailyTvl(market, market.pools, (await chain.swaps()).swaps)
  const lower = wanted?.toLowerCase()
  if (lower === 'sandbox') return { json: (await own()).map(({ date, usd }) => ({ date, tvl: usd })) }
  const chains = otherChains(chain.chainId).filter(({ name }) => lower === undefined || name.toLowerCase() === lower)
  if (lower !== undefined && chains.length === 0) return null
  const synthetic = chains.reduce((sum, { tvl }) => sum + tvl, 0)
  const ownByDate = new Map(lower === undefined ? (await own()).map(({ date, usd }) => [date, usd]) : [])
  const first = dayOf(market) - syntheticDays + 1
  const dates = Array.from({ length: syntheticDays }, (_, index) => (first + index) * daySeconds)
  return { json: dates.map((date) => ({ date, tvl: cents(synthetic + (ownByDate.get(date) ?? 0)) })) }
}

/** The made-up chains, without one that has the sandbox's own id. */
function otherChains(ownId: number) {
  return syntheticChains.filter(({ chainId }) => chainId !== ownId)
}

/** The value of pools at the end of each day: that of today less what later swaps brought in, at current prices. */
function dailyTvl(market: MarketFacts, pools: readonly PoolState[], swaps: readonly IndexedSwap[]) {
  const ids = new Set(pools.map(({ id }) => id))
  const own = swaps.filter(({ pool }) => ids.has(pool.id))
  const today = dayOf(market)
  const first = own[0] === undefined ? today : Math.floor(own[0].timestamp / daySeconds)
  const days = Array.from({ length: today - first + 1 }, (_, index) => first + index)
  return days.map((day) => {
    const later = own.filter(({ timestamp }) => timestamp >= (day + 1) * daySeconds)
    const change = later.reduce((sum, swap) => sum + worthOf(market, swap, 0) + worthOf(market, swap, 1), 0)
    return { date: day * daySeconds, usd: cents(totalOf(pools) - change) }
  })
}

function protocolRow(slug: Project, { chainId }: ChainData) {
  const name = slug === 'uniswap-v2' ? 'Uniswap V2' : 'Uniswap V3'
  return { id: `${chainId}-${slug}`, slug, name, symbol: 'UNI', category: 'Dexs', chains: ['Sandbox'] }
}

function protocolWithTvl(slug: Project, chain: ChainData, market: MarketFacts) {
  const tvl = tvlOf(market, slug)
  const changes = { change_1h: null, change_1d: null, change_7d: null }
  return { ...protocolRow(slug, chain), tvl, chainTvls: { Sandbox: tvl }, ...changes, mcap: null }
}

async function protocol(chain: ChainData, slug: string | undefined): Promise<ServiceReply | null> {
  if (!isProject(slug)) return null
  const [market, { swaps }] = await Promise.all([chain.market(), chain.swaps()])
  const own = market.pools.filter((pool) => projectOf(pool) === slug)
  const tvl = dailyTvl(market, own, swaps).map(({ date, usd }) => ({ date, totalLiquidityUSD: usd }))
  return { json: { ...protocolRow(slug, chain), currentChainTvls: { Sandbox: totalOf(own) }, tvl } }
}

/** Prices by keys such as `sandbox:0x…`, for the tokens that have a feed. */
function prices(market: MarketFacts, { chainId }: ChainData, keys: string): ServiceReply {
  const tokens = market.pools.flatMap(({ token0, token1 }) => [token0, token1])
  const coins = keys.split(',').flatMap((key) => {
    const [chain = '', address = ''] = key.split(':')
    const token = tokens.find((one) => one.address.toLowerCase() === address.toLowerCase())
    if (token === undefined || !['sandbox', String(chainId)].includes(chain.toLowerCase())) return []
    const { symbol, decimals } = token
    const price = market.prices.get(symbol)
    return [[key, { decimals, symbol, price, timestamp: market.block.timestamp, confidence: 0.99 }]]
  })
  return { json: { coins: Object.fromEntries(coins) } }
}

async function pools(chain: ChainData): Promise<ServiceReply> {
  const [market, { swaps }] = await Promise.all([chain.market(), chain.swaps()])
  const since = market.block.timestamp - daySeconds
  const own = market.pools.map((pool) => {
    const recent = swaps.filter((swap) => swap.pool.id === pool.id && swap.timestamp > since)
    return poolRow(pool, volumeOf(market, recent))
  })
  const synthetic = otherChains(chain.chainId).map(({ name, tvl, chainId }) => ({
    chain: name,
    project: 'uniswap-v3',
    symbol: 'ETH-USDC',
    tvlUsd: tvl / 500,
    apyBase: 8.5,
    apyReward: null,
    apy: 8.5,
    pool: `synthetic-${chainId}`,
    stablecoin: false,
    poolMeta: '0.05%',
    volumeUsd1d: tvl / 400,
    synthetic: true,
    underlyingTokens: [],
  }))
  return { json: { status: 'success', data: [...own, ...synthetic] } }
}

function poolRow(pool: PoolState, volumeUsd1d: number) {
  const fees = (volumeUsd1d * pool.feePips) / 1_000_000
  const apy = pool.tvlUsd === 0 ? 0 : Math.round(((fees * 365) / pool.tvlUsd) * 1e6) / 1e4
  return {
    chain: 'Sandbox',
    project: projectOf(pool),
    symbol: `${pool.token0.symbol}-${pool.token1.symbol}`,
    tvlUsd: pool.tvlUsd,
    apyBase: apy,
    apyReward: null,
    apy,
    pool: pool.id,
    stablecoin: false,
    poolMeta: `${pool.feePips / 10_000}%`,
    volumeUsd1d,
    synthetic: false,
    underlyingTokens: [pool.token0.address, pool.token1.address],
  }
}

function tvlOf(market: MarketFacts, slug: Project): number {
  return totalOf(market.pools.filter((pool) => projectOf(pool) === slug))
}

function totalOf(pools: readonly PoolState[]): number {
  return cents(pools.reduce((sum, { tvlUsd }) => sum + tvlUsd, 0))
}

function projectOf({ version }: PoolState): Project {
  return version === 2 ? 'uniswap-v2' : 'uniswap-v3'
}

function isProject(slug: string | undefined): slug is Project {
  return projects.some((known) => known === slug)
}

function dayOf({ block }: MarketFacts): number {
  return Math.floor(block.timestamp / daySeconds)
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
