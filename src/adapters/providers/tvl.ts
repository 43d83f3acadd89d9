import { z } from 'zod'
import type { Sourced, TvlFeed } from '../../domain/ports/providers.ts'
import type { HttpProvider, ProviderRequest } from './http.ts'

/** Limits of a large response. */
const large = (mebibytes: number) => ({ mostBytes: mebibytes * 1_048_576, timeFactor: 2 })
const slowMs = 300_000
const quickMs = 20_000

/** The client of one of the provider's base URLs; `source` names it in results. */
type TvlEndpoint = { provider: HttpProvider; source: string }

/** The TVL provider over its three base URLs, in the format of DefiLlama. */
export function createTvlFeed(at: { main: TvlEndpoint; prices: TvlEndpoint; pools: TvlEndpoint }): TvlFeed {
  const { main, prices, pools } = { main: requester(at.main), prices: requester(at.prices), pools: requester(at.pools) }
  return {
    async chains(signal) {
      return await main({ path: '/v2/chains', schema: wire.chains, cacheMs: quickMs, signal }, (list) =>
        valued(list, ({ tvl }) => tvl).map(([{ name, chainId = null, synthetic }, tvlUsd]) => ({
          name,
          chainId,
          tvlUsd,
          synthetic,
        })),
      )
    },
    async history(chain, signal) {
      const path = `/v2/historicalChainTvl${chain === null ? '' : `/${encodeURIComponent(chain)}`}`
      return await main({ path, schema: wire.daily, ...large(8), cacheMs: slowMs, signal }, (list) =>
        valued(list, ({ tvl }) => tvl).map(([{ date }, usd]) => ({ date, usd })),
      )
    },
    async protocols(signal) {
      return await main({ path: '/protocols', schema: wire.protocols, ...large(32), cacheMs: slowMs, signal }, (list) =>
        valued(list, ({ tvl }) => tvl).map(([{ category = null, slug, name, chains, synthetic }, tvlUsd]) => ({
          slug,
          name,
          chains,
          synthetic,
          category,
          tvlUsd,
        })),
      )
    },
    async protocol(slug, signal) {
      const path = `/protocol/${encodeURIComponent(slug)}`
      const request = { path, schema: wire.protocol, ...large(32), cacheMs: slowMs, signal }
      return await main(request, ({ name, category = null, chains, currentChainTvls, tvl, synthetic }) => ({
        name,
        category,
        chains,
        synthetic,
        tvlUsdByChain: Object.fromEntries(
          valued(Object.entries(currentChainTvls), ([, usd]) => usd).map(([[chain], usd]) => [chain, usd]),
        ),
        history: valued(tvl, ({ totalLiquidityUSD }) => totalLiquidityUSD).map(([{ date }, usd]) => ({ date, usd })),
      }))
    },
    async protocolTvl(slug, signal) {
      const path = `/tvl/${encodeURIComponent(slug)}`
      return await main({ path, schema: wire.protocolTvl, cacheMs: quickMs, signal }, (usd) => usd)
    },
    async prices(keys, signal) {
      const path = `/prices/current/${keys.map(encodeURIComponent).join(',')}`
      return await prices({ path, schema: wire.prices, cacheMs: quickMs, signal }, ({ coins }) =>
        valued(Object.entries(coins), ([, { price }]) => price).map(
          ([[key, { symbol, timestamp, confidence = null }], priceUsd]) => ({
            key,
            symbol,
            priceUsd,
            at: timestamp,
            confidence,
          }),
        ),
      )
    },
    async pools(signal) {
      return await pools(
        { path: '/pools', schema: wire.pools, ...large(32), cacheMs: slowMs / 5, signal },
        ({ data }) =>
          valued(data, ({ tvlUsd }) => tvlUsd).map(([{ pool: id, ...same }, tvlUsd]) => ({ ...same, id, tvlUsd })),
      )
    },
  }
}

/** Sends requests to one base URL and adds the source to what is read of the response. */
function requester({ provider, source }: TvlEndpoint) {
  return async <T, R>(request: ProviderRequest<T>, read: (value: T) => R): Promise<Sourced<R>> => {
    const { value, ageMs, latencyMs } = await provider.request(request)
    return { value: read(value), source, ageMs, latencyMs }
  }
}

/** The rows that have a figure, each with its figure. */
function valued<T>(rows: readonly T[], figureOf: (row: T) => number | null): [T, number][] {
  return rows.flatMap((row): [T, number][] => {
    const figure = figureOf(row)
    return figure === null ? [] : [[row, figure]]
  })
}

const text = z.string().max(500)
const synthetic = z.boolean().default(false)
/** Null where it is not a number: the row is then left out, for 0 would be a figure. */
const dollars = z.number().nullable().catch(null)
/** Seconds since 1970, as a number or in digits; later than any calendar date is refused. */
const moment = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^\d{1,10}$/)
      .transform(Number),
  ])
  .pipe(z.number().min(0).max(4e9))
  .transform((seconds) => new Date(Math.round(seconds * 1_000)))

/** Responses of the TVL provider, in the format of DefiLlama. */
const wire = {
  chains: z
    .array(z.object({ name: text, chainId: z.coerce.number().int().nullish().catch(null), tvl: dollars, synthetic }))
    .max(5_000),
  daily: z.array(z.object({ date: moment, tvl: dollars })).max(20_000),
  protocols: z
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
    .max(50_000),
  protocol: z.object({
    name: text,
    category: text.nullish(),
    chains: z.array(text).default([]),
    currentChainTvls: z.record(z.string(), dollars).default({}),
    tvl: z
      .array(z.object({ date: moment, totalLiquidityUSD: dollars }))
      .max(20_000)
      .default([]),
    synthetic,
  }),
  protocolTvl: z.number(),
  prices: z.object({
    coins: z.record(
      z.string(),
      z.object({ symbol: text.default(''), price: dollars, timestamp: moment, confidence: z.number().nullish() }),
    ),
  }),
  pools: z.object({
    status: z.literal('success').optional(),
    data: z
      .array(
        z.object({
          pool: text,
          chain: text,
          project: text,
          symbol: text,
          tvlUsd: dollars,
          apy: dollars,
          volumeUsd1d: dollars,
          synthetic,
        }),
      )
      .max(100_000),
  }),
}
