/** Hex text with its 0x prefix, as the chain speaks. */
export type Hex = `0x${string}`

/** Stands for the native currency where a token's address is expected, in routes too. */
export const nativeToken: Hex = '0x0000000000000000000000000000000000000000'

export type Token = { symbol: string; address: Hex; decimals: number; usdFeed: string | null }

/** The facts of a chain that do not change while the gateway runs. */
export type ChainInfo = {
  id: number
  name: string
  nativeSymbol: string
  /** Pair of the feed that prices one unit of the native currency, such as `ETH/USD`. */
  nativeUsdFeed: string
  wrappedNative: Hex
  tokens: readonly Token[]
  venues: readonly string[]
  /** Address of its block explorer without a slash at the end, or null where there is none. */
  explorerUrl: string | null
  blockTimeSeconds: number
  /** True where the chain is the embedded one: its money is play money. */
  sandbox: boolean
}

export type Head = { number: bigint; hash: Hex; timestamp: bigint }

export type Log = { address: Hex; topics: readonly Hex[]; data: Hex }

export type Receipt = {
  hash: Hex
  status: 'success' | 'reverted'
  blockNumber: bigint
  blockHash: Hex
  gasUsed: bigint
  /** Wei paid for gas in all, fees of the parent chain included where the chain reports them. */
  feeWei: bigint
  logs: readonly Log[]
}

/** A call the sender can put into a transaction. */
export type TransactionCall = { to: Hex; data: Hex; value: bigint }

export type SignableTransaction = TransactionCall & {
  chainId: number
  nonce: number
  gas: bigint
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
}

export type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }

/** One way to trade: a list of tokens and the pool kind that joins each pair. */
export type Route = {
  /** `wrapped_native` joins the native currency and its token one to one, without a pool. */
  venue: 'uniswap_v2' | 'uniswap_v3' | 'wrapped_native'
  /** The first and the last may be `nativeToken`. */
  tokens: readonly Hex[]
  /** Pool fee of each hop in hundredths of a basis point (3000 = 0.30 %). */
  feePips: readonly number[]
  pools: readonly Hex[]
}

/** A route priced at one block for one amount; all amounts in the smallest unit of their token. */
export type RouteQuote = {
  route: Route
  amountOut: bigint
  /** What the amount would buy at the pools' present price, without impact and without fee. */
  spotOut: bigint
  /** About what the swap uses; good enough to rank routes, too coarse to send one. */
  gas: bigint
}

/** An answer of a Chainlink-shaped feed. */
export type FeedPrice = {
  pair: string
  answer: bigint
  decimals: number
  updatedAt: Date
  heartbeatSeconds: number
  roundId: bigint
  source: Hex
}

export type SwapPlan = { route: Route; owner: Hex; amountIn: bigint; minimumOut: bigint; deadline: bigint }

/** A leg of a trade in the order it must be mined. */
export type Leg = { kind: 'approve' | 'swap' | 'fund' | 'faucet' | 'gap'; call: TransactionCall; gas: bigint }

export type SwapSimulation =
  | { ok: true; amountOut: bigint; gas: bigint; block: Head }
  | { ok: false; reason: string; advice: string; block: Head }

/** What one check of a token found: `unknown` where it could not be made, never `pass`. */
export type CheckResult = {
  verdict: 'pass' | 'warn' | 'fail' | 'unknown'
  /** Points 0 (safe) to 100 that the finding adds to the score. */
  score: number
  flags: readonly string[]
  details: Record<string, unknown>
}

/** One connected chain. Foreign errors arrive as DomainError with their cause kept. */
export interface Chain {
  readonly info: ChainInfo
  head(): Promise<Head>
  /** Calls back for each new block; answers the function that stops it. */
  onBlock(listener: (head: Head) => void): () => void
  /** The next nonce of the account: counting mined transactions, or those waiting too. */
  nonce(account: Hex, at: 'latest' | 'pending'): Promise<number>
  fees(): Promise<Fees>
  /**
   * Sends signed bytes. That the node knows them already is success. A refusal is TRANSACTION_REJECTED, with its kind
   * in `details.metadata.refusal`: `nonce_too_low`, `insufficient_funds`, `underpriced` and so on.
   */
  broadcast(raw: Hex): Promise<void>
  receipt(hash: Hex): Promise<Receipt | null>
  /** Does the node have the transaction, waiting or mined. */
  knows(hash: Hex): Promise<boolean>
  /** Native and token balances of an account at one block. */
  balances(owner: Hex, tokens: readonly Hex[]): Promise<{ native: bigint; tokens: readonly bigint[]; block: Head }>
  /** The feed's answer, always above zero; null where the chain has no such feed, FAILED_PRECONDITION where it answers no price. */
  price(pair: string): Promise<FeedPrice | null>
  /** Every route over one and two hops of known tokens that can fill the amount, priced at one block; most out first. */
  quoteRoutes(tokenIn: Hex, tokenOut: Hex, amountIn: bigint): Promise<{ quotes: readonly RouteQuote[]; block: Head }>
  /** Gas of the whole swap for somebody who holds the tokens; answered even where the owner does not. */
  estimateSwapGas(route: Route, amountIn: bigint): Promise<bigint>
  /** The swap run by `eth_call`; with `fundOwner` as if the owner had the tokens and the approval. */
  simulateSwap(plan: SwapPlan, options: { fundOwner: boolean }): Promise<SwapSimulation>
  /** Exact approval and swap as ordered legs with their gas; native currency needs no approval. */
  swapLegs(plan: SwapPlan): Promise<readonly Leg[]>
  /** What the owner really received, read from the pools' Swap events and the transfers to the owner. */
  fillOf(receipt: Receipt, route: Route, owner: Hex): { amountIn: bigint; amountOut: bigint }
  /** Why a mined transaction reverted, in the contract's words, and what to change. */
  revertReason(hash: Hex): Promise<{ reason: string; advice: string }>
  /** Can the token be sold again, what does it tax, what may its owner do. */
  checkRug(token: Hex): Promise<CheckResult>
  /** Large transfers and swaps of the token in recent blocks against supply and pool depth. */
  checkWhaleFlow(token: Hex): Promise<CheckResult>
}

/** The connected chains, the default one first. */
export interface Chains {
  readonly all: readonly Chain[]
  readonly default: Chain
  find(chainId: number): Chain | null
}
