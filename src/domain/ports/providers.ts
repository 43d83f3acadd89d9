/** A value of a provider, with the provider's name, the age of the value and the duration of the request. */
export type Sourced<T> = { value: T; source: string; ageMs: number; latencyMs: number }

/** `synthetic` marks invented figures of the embedded provider, which has no such chain. */
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

type ProtocolDetail = Pick<Protocol, 'name' | 'category' | 'chains' | 'synthetic'> & {
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
 * The TVL provider. Its figures are JSON numbers as it computed them. NOT_FOUND where it has no such chain, protocol or
 * pool, UNAVAILABLE and DEADLINE_EXCEEDED where it fails.
 */
export interface TvlFeed {
  chains(signal: AbortSignal): Promise<Sourced<readonly ChainTvl[]>>
  /** The history of one chain by the provider's name, or of all chains together. */
  history(chain: string | null, signal: AbortSignal): Promise<Sourced<readonly DailyValue[]>>
  protocols(signal: AbortSignal): Promise<Sourced<readonly Protocol[]>>
  protocol(slug: string, signal: AbortSignal): Promise<Sourced<ProtocolDetail>>
  protocolTvl(slug: string, signal: AbortSignal): Promise<Sourced<number>>
  /** Prices by keys such as `ethereum:0x…`; keys without a price are left out. */
  prices(keys: readonly string[], signal: AbortSignal): Promise<Sourced<readonly TokenPrice[]>>
  pools(signal: AbortSignal): Promise<Sourced<readonly YieldPool[]>>
}

/** The state of a query of the analytics provider, by the provider's own name. */
export type AnalyticsRun = {
  state: string
  /** The meaning of the state: it runs, returned its rows, or ended without them. */
  stage: 'running' | 'completed' | 'failed'
  rows: readonly Record<string, unknown>[]
  /** The provider's message of a failure. */
  failure: string | null
  /** True where it has more rows than are returned. */
  truncated: boolean
}

/** Runs queries that the analytics provider stores by number. */
export interface Analytics {
  /**
   * Waits for the end of the run, `waitMs` at most, and returns its state. Equal runs at the same time are shared; a
   * run is cancelled when its last caller disconnects.
   */
  run(
    query: number,
    parameters: Readonly<Record<string, string | number>>,
    until: { waitMs: number; signal: AbortSignal },
  ): Promise<Sourced<AnalyticsRun>>
}

/** The newest block that a subgraph has indexed; `at` is null where the subgraph does not return its time. */
export type SubgraphBlock = { number: number; at: Date | null }

/** Queries a GraphQL server at a URL that the caller chose, and which is not trusted. */
export interface Subgraphs {
  /** `block` is null where the subgraph does not return it. */
  query(
    address: string,
    body: { query: string; variables: Readonly<Record<string, unknown>> },
    /** The account counts what may run at once. */
    by: { account: number; signal: AbortSignal },
  ): Promise<Sourced<Record<string, unknown>> & { block: SubgraphBlock | null }>
}
