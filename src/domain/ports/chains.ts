/** Hex text with its 0x prefix, as in JSON-RPC. */
export type Hex = `0x${string}`

/** Stands for the native currency where a token's address is expected, in routes too. */
export const nativeToken: Hex = '0x0000000000000000000000000000000000000000'

/** True where both are the same address; letter case is ignored. */
export function sameAddress(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase()
}

/** A token on a chain's list. */
export type Token = {
  symbol: string
  address: Hex
  decimals: number
  usdFeed: string | null
  /** The currency that its issuer keeps one unit at. */
  pegged?: 'USD'
  /** True where it exists only to try the risk checks on. */
  test?: boolean
}

/** The facts of a chain that do not change while the gateway runs. */
export type ChainInfo = {
  id: number
  name: string
  nativeSymbol: string
  /** Pair of the feed that prices one unit of the native currency, such as `ETH/USD`. */
  nativeUsdFeed: string
  /** Pairs that have a price feed, such as `BTC/USD`. */
  feedPairs: readonly string[]
  wrappedNative: Hex
  tokens: readonly Token[]
  /** Names of the venues that a policy can allow. */
  venues: readonly string[]
  /** URL of its block explorer without a slash at the end, or null where there is none. */
  explorerUrl: string | null
  /** URL of the embedded chain's own subgraph; absent or null where it has none. */
  subgraphUrl?: string | null
  blockTimeSeconds: number
  /** True for the embedded chain, whose money has no value. */
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
  /** The total fee in wei, with the fee for the parent chain where the chain reports it. */
  feeWei: bigint
  logs: readonly Log[]
}

/** A mined transaction as far as it moved money between accounts. */
export type SentTransaction = {
  hash: Hex
  blockNumber: bigint
  blockHash: Hex
  /** Its place in the block. */
  index: number
  from: Hex
  to: Hex | null
  /** What it moved from its sender to `to`, in wei; 0 where it reverted. */
  value: bigint
  /** What a deposit over the bridge created for its sender, in wei, also where its call reverted; 0 for others. */
  minted: bigint
  /** What its sender withdrew over the bridge, in wei. */
  withdrawn: bigint
  feeWei: bigint
  /** The transfers of listed tokens, by their events. */
  transfers: readonly { token: Hex; from: Hex; to: Hex; amount: bigint }[]
}

/** A call the sender can put into a transaction. */
export type TransactionCall = { to: Hex; data: Hex; value: bigint }

export type SignableTransaction = TransactionCall & Fees & { chainId: number; nonce: number; gas: bigint }

/**
 * Wei for each unit of gas. Without a tip the transaction is a legacy one, as chains without base fees need it, and
 * `maxFeePerGas` is its gas price.
 */
export type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint | null }

/** What a block takes at present for a unit of gas, in wei, by the fees that the market asks. */
export function paidPerGas({ maxFeePerGas, maxPriorityFeePerGas }: Fees): bigint {
  // The maximum leaves room for the base fee to double; a gas price is paid as it is.
  return maxPriorityFeePerGas === null ? maxFeePerGas : (maxFeePerGas + maxPriorityFeePerGas) / 2n
}

/** A path of a swap: its tokens in order, and the kind of pool between each pair. */
export type Route = {
  /** `wrapped_native` exchanges the native currency and its wrapped token one to one, without a pool. */
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
  /** The amount out at the present price of the pools, without price impact and fees. */
  spotOut: bigint
  /** An estimate that is good enough to rank routes, but too coarse to send a transaction. */
  gas: bigint
}

/** The answer of a feed with Chainlink's interface. */
export type FeedPrice = {
  pair: string
  answer: bigint
  decimals: number
  updatedAt: Date
  heartbeatSeconds: number
  /** The price change in basis points that updates the feed before its heartbeat; null where it is not known. */
  deviationBps: number | null
  roundId: bigint
  /**
   * When the round began, and the round that computed the answer, which is an earlier one for a carried-over answer.
   */
  startedAt: Date
  answeredInRound: bigint
  source: Hex
}

export type SwapPlan = { route: Route; owner: Hex; amountIn: bigint; minimumOut: bigint; deadline: bigint }

/** The function that a call calls, such as `approve(address,uint256)`, and the amount that it approves; null for others. */
export type DecodedCall = { signature: string; approves: bigint | null }

/** One transaction of a sequence that must be mined in order. */
export type Leg = {
  kind: 'wrap' | 'approve' | 'swap' | 'unwrap' | 'revoke' | 'fund' | 'faucet' | 'gap'
  call: TransactionCall
  gas: bigint
}

export type SwapSimulation =
  | { ok: true; amountOut: bigint; gas: bigint; block: Head }
  /** `arrives` is there where the swap brings something, but less than the minimum of the plan. */
  | { ok: false; reason: string; advice: string; block: Head; arrives?: bigint }

/** The amount that a swap adds to its owner's balance, or why nothing would arrive. */
export type Arrival = { ok: true; amountOut: bigint } | { ok: false; reason: string; advice: string }

/** A simulation of buying, transferring and selling a token. */
export type Trial = {
  venue: Route['venue']
  pool: Hex
  paidWith: Hex
  buy: TrialStage
  move: TrialStage
  sell: TrialStage
  /** The loss over all steps in basis points, with pool fees and taxes. */
  roundTripLossBps: number
}

/**
 * One step of a trial; `ran` is false where an earlier step failed. The tax is the share of a transfer that does not
 * arrive.
 */
export type TrialStage = { ran: boolean; ok: boolean; taxBps: number; reason: string | null }

/** What the privileged accounts of a token can do, read from its code. */
export type TokenPowers = {
  /** Powers that issuers of legitimate tokens commonly have: `mint`, `pause`, `blacklist`, `upgrade`. */
  issuer: readonly string[]
  /** Powers that can take the money of buyers: `set_taxes`, `switch_selling`, `limit_amounts`. */
  traps: readonly string[]
  /** Null where the token names no owner. */
  owner: Hex | null
  /** Also false without an owner. */
  ownerIsContract: boolean
  renounced: boolean
  /** Address of the code that runs, for a proxy or a clone. */
  implementation: Hex | null
  upgradeable: boolean
  /** True where a simulated call of the owner can mint more of the token now; null where that was not simulated. */
  ownerMintsNow: boolean | null
}

/** The share of a token's supply in a pool, and who can withdraw the liquidity. */
export type PoolShare = {
  venue: Route['venue']
  pool: Hex
  supplyBps: number | null
  /** Liquidity shares that are burned, and those of the token's owner; null where shares are not tokens. */
  burnedBps: number | null
  ownerBps: number | null
}

/** A token at one block. `code` is false for an address without a contract; the other fields are then empty. */
export type TokenFacts = {
  block: Head
  code: boolean
  powers: TokenPowers
  pools: readonly PoolShare[]
  /** In the deepest pool of each venue; empty without a pool, or where the node cannot simulate such calls. */
  trials: readonly Trial[]
  /** What the nodes of the chain lack where there are no trials; absent where they are not known to lack anything. */
  untried?: 'state overrides' | 'access lists'
}

/** A transfer of a token. `swapped` is true where pools swapped in the same transaction. */
export type TokenMove = { from: Hex; to: Hex; value: bigint; transaction: Hex; block: number; swapped: boolean }

/** The transfers of a token in the blocks from `fromBlock` to `block`, with its supply. */
export type FlowFacts = {
  block: Head
  fromBlock: bigint
  /** Null where the contract does not return it. */
  supply: bigint | null
  /** The balance of each pool; null where the token does not return it. */
  pools: readonly { pool: Hex; held: bigint | null }[]
  /** Null where the node does not return the logs of these blocks. */
  moves: readonly TokenMove[] | null
}

/** How often a method of a node was called, and how often that brought no result. */
export type MethodCalls = { method: string; calls: number; failed: number }

/** What the client of a node knows of it without a call. */
export type UpstreamState = {
  /**
   * Chain id, host and its number in the setting, such as `1/example.com/2`; `embedded` for the embedded chain. Never the
   * rest of the URL, which may hold a key.
   */
  name: string
  /** True where it responded to its last call and does not lag. */
  healthy: boolean
  /** How long its last response took; null before the first one. */
  latencyMs: number | null
  /** How many blocks it is behind the highest node, as last checked; null where there is no other node. */
  blocksBehind: number | null
  /** Its calls since the start, as a provider counts them: the most called method first; null where nobody counts them. */
  calls: readonly MethodCalls[] | null
  /** The methods at which it failed and has not shown since that it serves them. */
  failingMethods: readonly string[]
  /** How many milliseconds the gateway waits between calls because the node limits its rate; 0 where it does not. */
  slowedByMs: number
}

/** What the client of a node saw of a reorganisation. It may be unfounded where the node lags. */
export type Reorganisation = {
  /** Number of the lowest block that left the chain; 0 where that is not known. */
  lowest: bigint
  /** The lowest block of the 256 that were watched, where it seems to have left the chain too; else null. */
  deepest: { number: bigint; hash: Hex } | null
}

/** One connected chain. Errors of nodes and contracts arrive as DomainError with their cause. */
export interface Chain {
  readonly info: ChainInfo
  /** The newest block; with `recent` one that was the newest less than 100 ms ago, which may take no call. */
  head(how?: 'recent'): Promise<Head>
  /** The nodes behind it, the preferred one first. */
  upstreams(): readonly UpstreamState[]
  /** Calls the listener for each new block; returns the function that removes it. */
  onBlock(listener: (head: Head) => void): () => void
  /**
   * Calls the listener when blocks have left the chain, or may have, without a call of a node; returns the function that
   * removes it.
   */
  onReorganised(listener: (seen: Reorganisation) => void): () => void
  /**
   * Whether most of the nodes have another block at the number of this one; null where too few have one, because they lag
   * or do not respond.
   */
  replaced(block: Pick<Head, 'number' | 'hash'>): Promise<boolean | null>
  /** Numbers of the newest blocks that are safe and finalized. */
  finality(): Promise<{ safe: bigint; finalized: bigint }>
  /**
   * Hash of the block with this number on the canonical chain; null where there is none. It is read anew, or with `followed`
   * taken from the chain as far as it was followed.
   */
  blockHash(number: bigint, how?: 'followed'): Promise<Hex | null>
  /** Whether a block is known to have left the chain. It is then read no more, even before another one is reported. */
  left(block: Head): Promise<boolean>
  /**
   * The newest block, and the hashes of the transactions in the blocks after `block` up to it. Null where `block` left the
   * chain, or is more than 16 blocks behind.
   */
  minedAfter(block: Head): Promise<{ head: Head; hashes: ReadonlySet<Hex> } | null>
  /** The next nonce of the account, counting mined transactions, pending ones too, or those mined up to a block. */
  nonce(account: Hex, at: 'latest' | 'pending' | bigint): Promise<number>
  fees(): Promise<Fees>
  /**
   * Wei that these transactions pay for their data on the parent chain of a rollup, beside their gas; 0 on chains that
   * charge gas alone. An estimate: it changes with the parent chain.
   */
  dataFee(calls: readonly Pick<TransactionCall, 'data'>[]): Promise<bigint>
  /** Gas limit of an empty transaction of the account to itself. */
  emptyGas(account: Hex): Promise<bigint>
  /**
   * Sends signed bytes. It succeeds where the node has them already. A refusal is TRANSACTION_REJECTED, with its kind
   * in `details.metadata.refusal`: `nonce_too_low`, `insufficient_funds`, `underpriced` and so on; UNAVAILABLE where the
   * refusal proves nothing about the transaction.
   */
  broadcast(raw: Hex): Promise<void>
  receipt(hash: Hex): Promise<Receipt | null>
  /** True where the node has the transaction, pending or mined. */
  knows(hash: Hex): Promise<boolean>
  /**
   * The transactions in which an account used these nonces, and its deposits over the bridge beside them, in the blocks
   * after `after`, by which it had used `nonce` of them, up to `last`. Those are left out that the node has no states to
   * find, and that are too far back to read every block. UNAVAILABLE where it lags behind.
   */
  sentBy(
    account: Hex,
    nonces: readonly number[],
    after: { block: bigint; nonce: number },
    last: Head,
  ): Promise<readonly SentTransaction[]>
  /**
   * The newest transactions of anybody, 64 at most, that moved listed tokens between these accounts in blocks up to `last`;
   * none where the node refuses to search.
   */
  movedBetween(accounts: readonly Hex[], after: bigint, last: Head): Promise<readonly SentTransaction[]>
  /**
   * Native and token balances of an account at one block, the newest or `at`; null for a token that does not return one.
   * With `tokens` the native one is not read, and 0.
   */
  balances(
    owner: Hex,
    tokens: readonly Hex[],
    at?: Head,
    which?: 'tokens',
  ): Promise<{ native: bigint; tokens: readonly (bigint | null)[]; block: Head }>
  /**
   * The feed's price, always above zero; null where the chain has no such feed, FAILED_PRECONDITION where it has no
   * valid price. With `at` it is the one that was in force at the block of that number, as far as the feed keeps earlier
   * ones.
   */
  price(pair: string, at?: bigint): Promise<FeedPrice | null>
  /**
   * All routes of one and two hops over known tokens with enough liquidity, priced at one block, largest amount out
   * first.
   */
  quoteRoutes(tokenIn: Hex, tokenOut: Hex, amountIn: bigint): Promise<{ quotes: readonly RouteQuote[]; block: Head }>
  /**
   * The gas of a quoted swap for an account that holds the tokens, with a margin; the typical gas of such a route where
   * the node cannot simulate it. Where a rollup charges for data beside gas, that fee is added as gas of its price, so that
   * it times the price of gas is what the swap costs. Swaps that differ in the amount alone are measured once a block.
   */
  estimateSwapGas(quote: RouteQuote, amountIn: bigint): Promise<bigint>
  /**
   * The amount that arrives where an unrelated account makes the quoted swap at the block, after the transfer taxes of
   * the tokens. Null where the node cannot simulate it. A route of known tokens that brought exactly what was quoted is
   * not simulated again in the block for another amount.
   */
  arrivalOf(quote: RouteQuote, amountIn: bigint, block: Head): Promise<Arrival | null>
  /**
   * Simulates the swap with `eth_call`; with `fundOwner` as if the owner had the tokens and the approval. `amountOut`
   * is the amount that arrives. A swap below the minimum of the plan fails.
   */
  simulateSwap(plan: SwapPlan, options: { fundOwner: boolean }): Promise<SwapSimulation>
  /** The call that revokes an approval. */
  revocation(approval: TransactionCall): TransactionCall
  /** Exact approval and swap as ordered legs with their gas; native currency needs no approval. */
  swapLegs(plan: SwapPlan): Promise<readonly Leg[]>
  /** What a call of `swapLegs` does. */
  decodedCall(call: TransactionCall): DecodedCall
  /**
   * The amounts paid and received: net transfers of the owner, native currency that the router wrapped or unwrapped, and
   * the pools' Swap events where the token reports no transfer.
   */
  fillOf(receipt: Receipt, route: Route, owner: Hex): { amountIn: bigint; amountOut: bigint }
  /**
   * Why a mined transaction reverted, as the contract reports it, and what to change; `belowMinimum` where a swap brought
   * less than its minimum.
   */
  revertReason(hash: Hex): Promise<{ reason: string; advice: string; belowMinimum: boolean }>
  /** The simulations of a token and the powers in its code, without a judgement. */
  readToken(token: Hex): Promise<TokenFacts>
  /** The transfers of a token in recent blocks, without a judgement. */
  readFlow(token: Hex): Promise<FlowFacts>
}

/** The connected chains, the default one first. */
export interface Chains {
  readonly all: readonly Chain[]
  readonly default: Chain
  find(chainId: number): Chain | null
}
