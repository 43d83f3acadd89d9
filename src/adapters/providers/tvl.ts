import type { Sourced, TvlFeed } from '../../domain/ports/providers.ts'
import type { Answer, HttpProvider } from './http.ts'
import { wire } from './tvl-wire.ts'

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
  const { main } = at
  return {
    async chains(signal) {
      const answer = await main.ask({ path: '/v2/chains', schema: wire.chains, cacheMs: quickMs, signal })
      return from(answer, (list) =>
        valued(list, ({ tvl }) => tvl).map(([{ name, chainId = null, synthetic }, tvlUsd]) => ({
          ...{ name, chainId, tvlUsd, synthetic },
        })),
      )
    },
    async history(chain, signal) {
      const path = `/v2/historicalChainTvl${chain === null ? '' : `/${encodeURIComponent(chain)}`}`
      const answer = await main.ask({ path, schema: wire.daily, mostBytes: 8 * mebibyte, cacheMs: slowMs, signal })
      return from(answer, (list) => valued(list, ({ tvl }) => tvl).map(([{ date }, usd]) => ({ date, usd })))
    },
    async protocols(signal) {
      const answer = await main.ask({
        ...{ path: '/protocols', schema: wire.protocols, mostBytes: 32 * mebibyte, cacheMs: slowMs, signal },
      })
      return from(answer, (list) =>
        valued(list, ({ tvl }) => tvl).map(([{ category = null, slug, name, chains, synthetic }, tvlUsd]) => ({
          ...{ slug, name, chains, synthetic, category, tvlUsd },
        })),
      )
    },
    async protocol(slug, signal) {
      const path = `/protocol/${encodeURIComponent(slug)}`
      const asked = { path, schema: wire.protocol, mostBytes: 32 * mebibyte, cacheMs: slowMs, signal }
      return from(await main.ask(asked), ({ name, category = null, chains, currentChainTvls, tvl, synthetic }) => ({
        ...{ name, category, chains, synthetic },
        tvlUsdByChain: Object.fromEntries(
          valued(Object.entries(currentChainTvls), ([, usd]) => usd).map(([[chain], usd]) => [chain, usd]),
        ),
        history: valued(tvl, ({ totalLiquidityUSD }) => totalLiquidityUSD).map(([{ date }, usd]) => ({ date, usd })),
      }))
    },
    async protocolTvl(slug, signal) {
      const path = `/tvl/${encodeURIComponent(slug)}`
      return from(await main.ask({ path, schema: wire.protocolTvl, cacheMs: quickMs, signal }), (usd) => usd)
    },
    async prices(keys, signal) {
      const path = `/prices/current/${keys.map(encodeURIComponent).join(',')}`
      const answer = await at.prices.ask({ path, schema: wire.prices, cacheMs: quickMs, signal })
      return from(answer, ({ coins }) =>
        valued(Object.entries(coins), ([, { price }]) => price).map(
          ([[key, { symbol, timestamp, confidence = null }], priceUsd]) => ({
            ...{ key, symbol, priceUsd, at: timestamp, confidence },
          }),
        ),
      )
    },
    async pools(signal) {
      const answer = await at.pools.ask({
        ...{ path: '/pools', schema: wire.pools, mostBytes: 32 * mebibyte, cacheMs: slowMs / 5, signal },
      })
      return from(answer, ({ data }) =>
        valued(data, ({ tvlUsd }) => tvlUsd).map(([{ pool: id, ...same }, tvlUsd]) => ({ ...same, id, tvlUsd })),
      )
    },
  }
}

/** The rows that have a figure, each with it. */
function valued<T>(rows: readonly T[], figureOf: (row: T) => number | null): [T, number][] {
  return rows.flatMap((row): [T, number][] => {
    const figure = figureOf(row)
    return figure === null ? [] : [[row, figure]]
  })
}
