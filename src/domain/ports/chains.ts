/** Hex text with its 0x prefix, as the chain speaks. */
export type Hex = `0x${string}`

/** Stands for the native currency where a token's address is expected, in routes too. */
export const nativeToken: Hex = '0x0000000000000000000000000000000000000000'

/** Is it the same address, in whatever letter case each is written. */
export function sameAddress(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase()
}

/** A token on a chain's list; `test` is true where it is there only to try the risk checks on. */
export type Token = { symbol: string; address: Hex; decimals: number; usdFeed: string | null; test?: boolean }

/** The facts of a chain that do not change while the gateway runs. */
export type ChainInfo = {
  id: number
  name: string
  nativeSymbol: string
  /** Pair of the feed that prices one unit of the native currency, such as `ETH/USD`. */
  nativeUsdFeed: string
  /** Pairs that its price feeds answer, such as `BTC/USD`. */
  feedPairs: readonly string[]
  wrappedNative: Hex
  tokens: readonly Token[]
  /** What a policy can allow. */
  venues: readonly string[]
  /** Address of its block explorer without a slash at the end, or null where there is none. */
  explorerUrl: string | null
  /** Address of the embedded chain's own subgraph; absent or null where it has none. */
  subgraphUrl?: string | null
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
  /** The change in basis points that makes the feed answer before its heartbeat; null where it is not known. */
  deviationBps: number | null
  roundId: bigint
  /** When its round began, and the round that its answer was made in: an earlier one where that answer was carried over. */
  startedAt: Date
  answeredInRound: bigint
  source: Hex
}

export type SwapPlan = { route: Route; owner: Hex; amountIn: bigint; minimumOut: bigint; deadline: bigint }

/** A leg of a trade in the order it must be mined. */
export type Leg = {
  kind: 'wrap' | 'approve' | 'swap' | 'unwrap' | 'revoke' | 'fund' | 'faucet' | 'gap'
  call: TransactionCall
  gas: bigint
}

export type SwapSimulation =
  | { ok: true; amountOut: bigint; gas: bigint; block: Head }
  | { ok: false; reason: string; advice: string; block: Head }

/** What a swap would bring to its owner, by the owner's balance; or why nothing would arrive. */
export type Arrival = { ok: true; amountOut: bigint } | { ok: false; reason: string; advice: string }

/** A try of buying, moving and selling a token, in a call that changed nothing. */
export type Trial = {
  venue: Route['venue']
  pool: Hex
  paidWith: Hex
  buy: TrialStage
  move: TrialStage
  sell: TrialStage
  /** What a whole round cost, pool fees and taxes together, in basis points. */
  roundTripLossBps: number
}

/** One step of a trial. A step that was not reached has not run; a tax is what arrived less than the pool paid. */
export type TrialStage = { ran: boolean; ok: boolean; taxBps: number; reason: string | null }

/** What may be done with a token by whom it gives the right, read from its code. */
export type TokenPowers = {
  /** Common with issuers of sound tokens: `mint`, `pause`, `blacklist`, `upgrade`. */
  issuer: readonly string[]
  /** Good for taking the money of buyers: `set_taxes`, `switch_selling`, `limit_amounts`. */
  traps: readonly string[]
  /** Null where the token names no owner. */
  owner: Hex | null
  /** False too where there is no owner. */
  ownerIsContract: boolean
  renounced: boolean
  /** Where the code lies that runs, for a token whose code can be swapped or is shared. */
  implementation: Hex | null
  upgradeable: boolean
  /** Would the token let its owner make more of it now: tried in a call that changed nothing; null where it was not. */
  ownerMintsNow: boolean | null
}

/** What a pool holds of a token, and who could take the liquidity away. */
export type PoolShare = {
  venue: Route['venue']
  pool: Hex
  supplyBps: number | null
  /** Shares of the pool that nobody can take out, and those of the token's owner; null where shares are not tokens. */
  burnedBps: number | null
  ownerBps: number | null
}

/** What the chain tells of a token at one block. `code` is false where no contract is; then the rest is empty. */
export type TokenFacts = {
  block: Head
  code: boolean
  powers: TokenPowers
  pools: readonly PoolShare[]
  /** In the deepest pool of each venue; empty where there is no pool, or where the node refuses such calls. */
  trials: readonly Trial[]
}

/** A transfer of a token. `swapped` is true where pools swapped in the same transaction. */
export type TokenMove = { from: Hex; to: Hex; value: bigint; transaction: Hex; block: number; swapped: boolean }

/** What moved of a token in the blocks from `fromBlock` to `block`, against what there is of it. */
export type FlowFacts = {
  block: Head
  fromBlock: bigint
  /** Null where the address does not answer as a token. */
  supply: bigint | null
  /** What each pool holds; null where the token does not tell. */
  pools: readonly { pool: Hex; held: bigint | null }[]
  /** Null where the node does not tell the logs of these blocks. */
  moves: readonly TokenMove[] | null
}

/** One connected chain. Foreign errors arrive as DomainError with their cause kept. */
export interface Chain {
  readonly info: ChainInfo
  head(): Promise<Head>
  /** Calls back for each new block; answers the function that stops it. */
  onBlock(listener: (head: Head) => void): () => void
  /** Numbers of the newest blocks that are safe and finalized. */
  finality(): Promise<{ safe: bigint; finalized: bigint }>
  /** Hash of the block of that number on the present chain; null where there is none. */
  blockHash(number: bigint): Promise<Hex | null>
  /** The next nonce of the account: counting mined transactions, or those waiting too, or those mined up to a block. */
  nonce(account: Hex, at: 'latest' | 'pending' | bigint): Promise<number>
  fees(): Promise<Fees>
  /** Gas limit of a transaction of the account to itself that does nothing. */
  emptyGas(account: Hex): Promise<bigint>
  /**
   * Sends signed bytes. That the node knows them already is success. A refusal is TRANSACTION_REJECTED, with its kind
   * in `details.metadata.refusal`: `nonce_too_low`, `insufficient_funds`, `underpriced` and so on.
   */
  broadcast(raw: Hex): Promise<void>
  receipt(hash: Hex): Promise<Receipt | null>
  /** Does the node have the transaction, waiting or mined. */
  knows(hash: Hex): Promise<boolean>
  /** Native and token balances of an account at one block; null for a token that does not tell. */
  balances(
    owner: Hex,
    tokens: readonly Hex[],
  ): Promise<{ native: bigint; tokens: readonly (bigint | null)[]; block: Head }>
  /** The feed's answer, always above zero; null where the chain has no such feed, FAILED_PRECONDITION where it answers no price. */
  price(pair: string): Promise<FeedPrice | null>
  /** Every route over one and two hops of known tokens that can fill the amount, priced at one block; most out first. */
  quoteRoutes(tokenIn: Hex, tokenOut: Hex, amountIn: bigint): Promise<{ quotes: readonly RouteQuote[]; block: Head }>
  /** Gas of the whole swap for somebody who holds the tokens; answered even where the owner does not. */
  estimateSwapGas(route: Route, amountIn: bigint): Promise<bigint>
  /**
   * What arrives where a stranger makes the swap at the block, whatever the tokens keep of their transfers; null where the
   * node cannot try it.
   */
  arrivalOf(route: Route, amountIn: bigint, block: Head): Promise<Arrival | null>
  /**
   * The swap run by `eth_call`; with `fundOwner` as if the owner had the tokens and the approval. `amountOut` is what
   * arrives, and one that brings less than the plan's minimum has failed.
   */
  simulateSwap(plan: SwapPlan, options: { fundOwner: boolean }): Promise<SwapSimulation>
  /** The call that takes back what an approval allowed. */
  revocation(approval: TransactionCall): TransactionCall
  /** Exact approval and swap as ordered legs with their gas; native currency needs no approval. */
  swapLegs(plan: SwapPlan): Promise<readonly Leg[]>
  /** What the owner really received, read from the pools' Swap events and the transfers to the owner. */
  fillOf(receipt: Receipt, route: Route, owner: Hex): { amountIn: bigint; amountOut: bigint }
  /** Why a mined transaction reverted, in the contract's words, and what to change. */
  revertReason(hash: Hex): Promise<{ reason: string; advice: string }>
  /** What trying a token out and reading its code tells; nothing is judged. */
  readToken(token: Hex): Promise<TokenFacts>
  /** What moved of a token in recent blocks; nothing is judged. */
  readFlow(token: Hex): Promise<FlowFacts>
}

/** The connected chains, the default one first. */
export interface Chains {
  readonly all: readonly Chain[]
  readonly default: Chain
  find(chainId: number): Chain | null
}
