import type { Service, ServiceReply } from '../provider-server/server.ts'
import { cents, type MarketFacts, type PoolState } from './market-facts.ts'
import type { IndexedSwap } from './swap-index.ts'
import { type SyntheticChain, syntheticChains } from './synthetic-chains.ts'
import { daySeconds, type World, worthOf } from './world-facts.ts'

/** Days of the figures that are made up. */
const syntheticDays = 90
const projects = ['uniswap-v2', 'uniswap-v3'] as const

/** The TVL provider in the format of DefiLlama: main, prices and yields beneath one prefix. */
export function tvlService(world: World): Service {
  return {
    prefix: '/tvl',
    async answer({ method, path }) {
      if (method !== 'GET') return null
      const [, first, second, third] = path.split('/').map(decoded)
      switch (first) {
        case 'v2':
          if (second === 'chains') return { json: chainRows(await world.market(), world.chainId) }
          return second === 'historicalChainTvl' ? await history(world, third) : null
        case 'protocols':
          return { json: projects.map((slug) => protocolRow(slug, world)).map(withTvl(await world.market())) }
        case 'protocol':
          return await protocol(world, second)
        case 'tvl':
          return isProject(second) ? { json: tvlOf(await world.market(), second) } : null
        case 'prices':
          return second === 'current' ? prices(await world.market(), world, third ?? '') : null
        case 'pools':
          return await pools(world)
        default:
          return null
      }
    },
  }
}

function chainRows(market: MarketFacts, chainId: number) {
  const made = otherChains(dayOf(market), chainId).map(({ name, chainId: id, tokenSymbol, tvlUsd }) => ({
    ...{ gecko_id: null, tvl: tvlUsd, tokenSymbol, cmcId: null, name, chainId: id, synthetic: true },
  }))
  const own = { gecko_id: null, tvl: totalOf(market.pools), tokenSymbol: 'ETH', cmcId: null, name: 'Sandbox', chainId }
  return [own, ...made]
}

async function history(world: World, name: string | undefined): Promise<ServiceReply | null> {
  const market = await world.market()
  const today = dayOf(market)
  const own = async () => dailyTvl(market, market.pools, (await world.swaps()).swaps)
  if (name?.toLowerCase() === 'sandbox') return { json: (await own()).map(({ date, usd }) => ({ date, tvl: usd })) }
  const rows = (tvlOn: (day: number, chains: readonly SyntheticChain[]) => number) =>
    Array.from({ length: syntheticDays }, (_, index) => today - syntheticDays + 1 + index).map((day) => ({
      ...{ date: day * daySeconds, tvl: cents(tvlOn(day, otherChains(day, world.chainId))) },
    }))
  if (name === undefined) {
    const byDate = new Map((await own()).map(({ date, usd }) => [date, usd]))
    return { json: rows((day, chains) => (byDate.get(day * daySeconds) ?? 0) + sumOf(chains)) }
  }
  const known = otherChains(today, world.chainId).find((chain) => chain.name.toLowerCase() === name.toLowerCase())
  if (known === undefined) return null
  return { json: rows((_, chains) => sumOf(chains.filter((chain) => chain.name === known.name))) }
}

/** The made-up chains of a day, without one that has the id of the sandbox's own. */
function otherChains(day: number, ownId: number): SyntheticChain[] {
  return syntheticChains(day).filter(({ chainId }) => chainId !== ownId)
}

function sumOf(chains: readonly SyntheticChain[]): number {
  return chains.reduce((sum, { tvlUsd }) => sum + tvlUsd, 0)
}

/** What pools held at the end of each day: what they hold now less what swaps brought since, at the present prices. */
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

function protocolRow(slug: (typeof projects)[number], { chainId }: World) {
  const name = slug === 'uniswap-v2' ? 'Uniswap V2' : 'Uniswap V3'
  return { id: `${chainId}-${slug}`, slug, name, symbol: 'UNI', category: 'Dexs', chains: ['Sandbox'] }
}

function withTvl(market: MarketFacts) {
  return (row: ReturnType<typeof protocolRow>) => {
    const tvl = tvlOf(market, row.slug)
    return { ...row, tvl, chainTvls: { Sandbox: tvl }, change_1h: null, change_1d: null, change_7d: null, mcap: null }
  }
}

async function protocol(world: World, slug: string | undefined): Promise<ServiceReply | null> {
  if (!isProject(slug)) return null
  const [market, { swaps }] = await Promise.all([world.market(), world.swaps()])
  const own = market.pools.filter((pool) => projectOf(pool) === slug)
  const tvl = dailyTvl(market, own, swaps).map(({ date, usd }) => ({ date, totalLiquidityUSD: usd }))
  return { json: { ...protocolRow(slug, world), currentChainTvls: { Sandbox: totalOf(own) }, tvl } }
}

/** Prices of keys such as `sandbox:0x…`, where a feed has one. */
function prices(market: MarketFacts, { chainId }: World, asked: string): ServiceReply {
  const tokens = new Map(market.pools.flatMap(({ token0, token1 }) => [token0, token1]).map((one) => [one.symbol, one]))
  const coins = asked.split(',').flatMap((key) => {
    const [chain = '', address = ''] = key.split(':')
    const token = [...tokens.values()].find((one) => one.address.toLowerCase() === address.toLowerCase())
    if (token === undefined || !['sandbox', String(chainId)].includes(chain.toLowerCase())) return []
    const { symbol, decimals } = token
    const price = market.prices.get(symbol)
    return [[key, { decimals, symbol, price, timestamp: market.block.timestamp, confidence: 0.99 }]]
  })
  return { json: { coins: Object.fromEntries(coins) } }
}

async function pools(world: World): Promise<ServiceReply> {
  const [market, { swaps }] = await Promise.all([world.market(), world.swaps()])
  const since = market.block.timestamp - daySeconds
  const data = market.pools.map((pool) => {
    const traded = swaps
      .filter((swap) => swap.pool.id === pool.id && swap.timestamp > since)
      .reduce((sum, swap) => sum + Math.abs(worthOf(market, swap, 0)), 0)
    const fees = (traded * pool.feePips) / 1_000_000
    const apy = pool.tvlUsd === 0 ? 0 : Math.round(((fees * 365) / pool.tvlUsd) * 1e6) / 1e4
    return {
      ...{ chain: 'Sandbox', project: projectOf(pool), symbol: `${pool.token0.symbol}-${pool.token1.symbol}` },
      ...{ tvlUsd: pool.tvlUsd, apyBase: apy, apyReward: null, apy, pool: pool.id, stablecoin: false },
      ...{ poolMeta: `${pool.feePips / 10_000}%`, volumeUsd1d: cents(traded), synthetic: false },
      underlyingTokens: [pool.token0.address, pool.token1.address],
    }
  })
  const made = otherChains(dayOf(market), world.chainId).map(({ name, tvlUsd, tokenSymbol, chainId }) => ({
    ...{ chain: name, project: 'uniswap-v3', symbol: `${tokenSymbol}-USDC`, tvlUsd: cents(tvlUsd / 500) },
    ...{ apyBase: 8.5, apyReward: null, apy: 8.5, pool: `synthetic-${chainId}`, stablecoin: false },
    ...{ poolMeta: '0.05%', volumeUsd1d: cents(tvlUsd / 400), synthetic: true, underlyingTokens: [] },
  }))
  return { json: { status: 'success', data: [...data, ...made] } }
}

function tvlOf(market: MarketFacts, slug: string): number {
  return totalOf(market.pools.filter((pool) => projectOf(pool) === slug))
}

function totalOf(pools: readonly PoolState[]): number {
  return cents(pools.reduce((sum, { tvlUsd }) => sum + tvlUsd, 0))
}

function projectOf({ version }: PoolState): (typeof projects)[number] {
  return version === 2 ? 'uniswap-v2' : 'uniswap-v3'
}

function isProject(slug: string | undefined): slug is (typeof projects)[number] {
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
