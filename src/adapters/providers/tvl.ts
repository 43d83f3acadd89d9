import { z } from 'zod'
import type { Sourced, TvlFeed } from '../../domain/ports/providers.ts'
import type { Answer, Asked, HttpProvider } from './http.ts'

const text = z.string().max(500)
const dollars = z.number().catch(0)
const synthetic = z.boolean().default(false)
const daily = z.array(z.object({ date: z.coerce.number().int().min(0).max(4e9), tvl: dollars })).max(20_000)

const chains = z
  .array(z.object({ name: text, chainId: z.coerce.number().int().nullish().catch(null), tvl: dollars, synthetic }))
  .max(5_000)
const protocols = z
  .array(
    z.object({
      slug: text,
      name: text,
      category: text.nullish(),
      chains: z.array(text).default([]),
      tvl: dollars,
      synthetic,
    }),
  )
  .max(50_000)
const protocol = z.object({
  name: text,
  category: text.nullish(),
  chains: z.array(text).default([]),
  currentChainTvls: z.record(z.string(), z.number()).default({}),
  tvl: z.array(z.object({ date: z.number(), totalLiquidityUSD: dollars })).default([]),
  synthetic,
})
const coin = z.object({
  symbol: text.default(''),
  price: z.number(),
  timestamp: z.number(),
  confidence: z.number().nullish(),
})
const prices = z.object({ coins: z.record(z.string(), coin) })
const pool = z.object({
  pool: text,
  chain: text,
  project: text,
  symbol: text,
  tvlUsd: dollars,
  apy: z.number().nullish(),
  volumeUsd1d: z.number().nullish(),
  synthetic,
})
const pools = z.object({ status: z.literal('success').optional(), data: z.array(pool).max(100_000) })

const mebibyte = 1_048_576
const slowMs = 300_000
const quickMs = 20_000

/** The TVL provider over its three addresses, in the format of DefiLlama; `source` names it in answers. */
export function createTvlFeed(
  at: { main: HttpProvider; prices: HttpProvider; pools: HttpProvider },
  source: string,
): TvlFeed {
  const from = <T, R>({ value, ageMs, latencyMs }: Answer<T>, read: (value: T) => R): Sourced<R> => ({
    ...{ value: read(value), source, ageMs, latencyMs },
  })
  const main = async <T>(asked: Asked<T>) => await at.main.ask(asked)
  return {
    async chains(signal) {
      const answer = await main({ path: '/v2/chains', schema: chains, cacheMs: quickMs, signal })
      return from(answer, (list) =>
        list.map(({ name, chainId = null, tvl, synthetic: made }) => ({ name, chainId, tvlUsd: tvl, synthetic: made })),
      )
    },
    async history(chain, signal) {
      const path = `/v2/historicalChainTvl${chain === null ? '' : `/${encodeURIComponent(chain)}`}`
      const answer = await main({ path, schema: daily, mostBytes: 8 * mebibyte, cacheMs: slowMs, signal })
      return from(answer, (list) => list.map(({ date, tvl }) => ({ date: dayOf(date), usd: tvl })))
    },
    async protocols(signal) {
      const answer = await main({
        ...{ path: '/protocols', schema: protocols, mostBytes: 32 * mebibyte, cacheMs: slowMs, signal },
      })
      return from(answer, (list) =>
        list.map(({ category = null, tvl, ...same }) => ({ ...same, category, tvlUsd: tvl })),
      )
    },
    async protocol(slug, signal) {
      const path = `/protocol/${encodeURIComponent(slug)}`
      const answer = await main({ path, schema: protocol, mostBytes: 32 * mebibyte, cacheMs: slowMs, signal })
      return from(answer, ({ name, category = null, chains: on, currentChainTvls, tvl, synthetic: made }) => ({
        ...{ name, category, chains: on, tvlUsdByChain: currentChainTvls, synthetic: made },
        history: tvl.map(({ date, totalLiquidityUSD }) => ({ date: dayOf(date), usd: totalLiquidityUSD })),
      }))
    },
    async protocolTvl(slug, signal) {
      const path = `/tvl/${encodeURIComponent(slug)}`
      return from(await main({ path, schema: z.number(), cacheMs: quickMs, signal }), (usd) => usd)
    },
    async prices(keys, signal) {
      const path = `/prices/current/${keys.map(encodeURIComponent).join(',')}`
      const answer = await at.prices.ask({ path, schema: prices, cacheMs: quickMs, signal })
      return from(answer, ({ coins }) =>
        Object.entries(coins).map(([key, { symbol, price, timestamp, confidence = null }]) => ({
          ...{ key, symbol, priceUsd: price, at: dayOf(timestamp), confidence },
        })),
      )
    },
    async pools(signal) {
      const answer = await at.pools.ask({
        ...{ path: '/pools', schema: pools, mostBytes: 32 * mebibyte, cacheMs: slowMs / 5, signal },
      })
      return from(answer, ({ data }) =>
        data.map(({ pool: id, apy = null, volumeUsd1d = null, ...same }) => ({ id, apy, volumeUsd1d, ...same })),
      )
    },
  }
}

/** Seconds since 1970. */
function dayOf(seconds: number): Date {
  return new Date(Math.round(seconds * 1_000))
}
