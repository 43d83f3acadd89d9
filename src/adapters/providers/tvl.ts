import type { TvlFeed } from '../../domain/ports/providers.ts'
import type { Sourced } from '../../domain/ports/sourced.ts'
import type { Asked, HttpProvider } from './http.ts'
import { wire } from './tvl-wire.ts'

/** Answers of so many MiB at most take their time. */
const long = (mebibytes: number) => ({ mostBytes: mebibytes * 1_048_576, patience: 2 })
const slowMs = 300_000
const quickMs = 20_000

/** One of the provider's addresses; `source` names it in answers. */
export type TvlPlace = { provider: HttpProvider; source: string }

/** The TVL provider over its three addresses, in the format of DefiLlama. */
export function createTvlFeed(at: { main: TvlPlace; prices: TvlPlace; pools: TvlPlace }): TvlFeed {
  const { main, prices, pools } = { main: asker(at.main), prices: asker(at.prices), pools: asker(at.pools) }
  return {
    async chains(signal) {
      return await main({ path: '/v2/chains', schema: wire.chains, cacheMs: quickMs, signal }, (list) =>
        valued(list, ({ tvl }) => tvl).map(([{ name, chainId = null, synthetic }, tvlUsd]) => ({
          ...{ name, chainId, tvlUsd, synthetic },
        })),
      )
    },
    async history(chain, signal) {
      const path = `/v2/historicalChainTvl${chain === null ? '' : `/${encodeURIComponent(chain)}`}`
      return await main({ path, schema: wire.daily, ...long(8), cacheMs: slowMs, signal }, (list) =>
        valued(list, ({ tvl }) => tvl).map(([{ date }, usd]) => ({ date, usd })),
      )
    },
    async protocols(signal) {
      return await main({ path: '/protocols', schema: wire.protocols, ...long(32), cacheMs: slowMs, signal }, (list) =>
        valued(list, ({ tvl }) => tvl).map(([{ category = null, slug, name, chains, synthetic }, tvlUsd]) => ({
          ...{ slug, name, chains, synthetic, category, tvlUsd },
        })),
      )
    },
    async protocol(slug, signal) {
      const path = `/protocol/${encodeURIComponent(slug)}`
      const asked = { path, schema: wire.protocol, ...long(32), cacheMs: slowMs, signal }
      return await main(asked, ({ name, category = null, chains, currentChainTvls, tvl, synthetic }) => ({
        ...{ name, category, chains, synthetic },
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
            ...{ key, symbol, priceUsd, at: timestamp, confidence },
          }),
        ),
      )
    },
    async pools(signal) {
      return await pools({ path: '/pools', schema: wire.pools, ...long(32), cacheMs: slowMs / 5, signal }, ({ data }) =>
        valued(data, ({ tvlUsd }) => tvlUsd).map(([{ pool: id, ...same }, tvlUsd]) => ({ ...same, id, tvlUsd })),
      )
    },
  }
}

/** Asks an address, and answers what was read of it with where it came from. */
function asker({ provider, source }: TvlPlace) {
  return async <T, R>(asked: Asked<T>, read: (value: T) => R): Promise<Sourced<R>> => {
    const { value, ageMs, latencyMs } = await provider.ask(asked)
    return { value: read(value), source, ageMs, latencyMs }
  }
}

/** The rows that have a figure, each with it. */
function valued<T>(rows: readonly T[], figureOf: (row: T) => number | null): [T, number][] {
  return rows.flatMap((row): [T, number][] => {
    const figure = figureOf(row)
    return figure === null ? [] : [[row, figure]]
  })
}
