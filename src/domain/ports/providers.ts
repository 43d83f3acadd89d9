import type { BitcoinChain } from './bitcoin.ts'
import type { MarketData } from './market-data.ts'
import type { Sourced } from './sourced.ts'

/** `synthetic` marks figures that an embedded provider made up, for it has no such chain. */
export type ChainTvl = { name: string; chainId: number | null; tvlUsd: number; synthetic: boolean }

/** A value of a day, in US dollars. */
export type DailyValue = { date: Date; usd: number }

export type Protocol = {
  slug: string
  name: string
  category: string | null
  chains: readonly string[]
  tvlUsd: number
  synthetic: boolean
}

export type ProtocolDetail = Pick<Protocol, 'name' | 'category' | 'chains' | 'synthetic'> & {
  tvlUsdByChain: Readonly<Record<string, number>>
  history: readonly DailyValue[]
}

export type TokenPrice = { key: string; symbol: string; priceUsd: number; at: Date; confidence: number | null }

/** Yields are percent a year. */
export type YieldPool = {
  id: string
  chain: string
  project: string
  symbol: string
  tvlUsd: number
  apy: number | null
  volumeUsd1d: number | null
  synthetic: boolean
}

/**
 * The TVL provider. Its figures are JSON numbers of its own making. NOT_FOUND where it knows no such thing, UNAVAILABLE
 * and DEADLINE_EXCEEDED where it does not answer as it should.
 */
export interface TvlFeed {
  chains(signal: AbortSignal): Promise<Sourced<readonly ChainTvl[]>>
  /** Of one chain by the provider's name, or of all together. */
  history(chain: string | null, signal: AbortSignal): Promise<Sourced<readonly DailyValue[]>>
  protocols(signal: AbortSignal): Promise<Sourced<readonly Protocol[]>>
  protocol(slug: string, signal: AbortSignal): Promise<Sourced<ProtocolDetail>>
  protocolTvl(slug: string, signal: AbortSignal): Promise<Sourced<number>>
  /** By keys such as `ethereum:0x…`; what it does not price is left out. */
  prices(keys: readonly string[], signal: AbortSignal): Promise<Sourced<readonly TokenPrice[]>>
  pools(signal: AbortSignal): Promise<Sourced<readonly YieldPool[]>>
}

/** Where a query of the analytics provider stands, in its own words. */
export type AnalyticsRun = {
  state: string
  /** What the state means: whether it runs, brought its rows, or ended without. */
  stage: 'running' | 'completed' | 'failed'
  rows: readonly Record<string, unknown>[]
  /** Why it failed, in the provider's words. */
  failure: string | null
  /** More rows than were taken. */
  truncated: boolean
}

/** Runs queries that the analytics provider keeps by number. */
export interface Analytics {
  /**
   * Waits for the end of the run at most `waitMs`, and answers how far it has come by then. Equal runs at the same time
   * are one; it is cancelled when the last that waits for it leaves.
   */
  run(
    query: number,
    parameters: Readonly<Record<string, string | number>>,
    until: { waitMs: number; signal: AbortSignal },
  ): Promise<Sourced<AnalyticsRun>>
}

/** The newest block that a subgraph has read; its time where the subgraph tells it. */
export type SubgraphBlock = { number: number; at: Date | null }

/** Asks a GraphQL server whose address the caller chose, and which is trusted with nothing. */
export interface Subgraphs {
  /** `block` is null where the subgraph does not tell it. */
  query(
    address: string,
    asked: { query: string; variables: Readonly<Record<string, unknown>> },
    signal: AbortSignal,
  ): Promise<Sourced<Record<string, unknown>> & { block: SubgraphBlock | null }>
}

/** The providers of research and of the tools. */
export type Providers = {
  bitcoin: BitcoinChain
  markets: MarketData
  tvl: TvlFeed
  analytics: Analytics
  subgraphs: Subgraphs
}
