import type { Hex, Route } from './chains.ts'

/** A quote as it was given, kept so that risk and execution can be bound to it. Amounts in smallest units. */
export type StoredQuote = {
  id: string
  userId: number
  chainId: number
  tokenIn: Hex
  tokenOut: Hex
  amountIn: bigint
  /** The amount as it was asked for, such as `100 usd`. */
  asked: string
  expectedOut: bigint
  spotOut: bigint
  slippageBps: number
  priceImpactBps: number
  gasEstimate: bigint
  route: Route
  expiresAt: Date
  createdAt: Date
}

export interface Quotes {
  save(quote: StoredQuote): Promise<void>
  /** Only the account's own. */
  find(userId: number, quoteId: string): Promise<StoredQuote | null>
}

export type ExecutionState = 'requested' | 'simulated' | 'reserved' | 'signed' | 'broadcast' | 'included' | 'failed'

/** A real trade from request to receipt. Amounts in smallest units. */
export type Execution = {
  id: string
  userId: number
  idempotencyKey: string
  /** Hash of the canonical request: the same key with another one is a conflict. */
  fingerprint: string
  chainId: number
  walletRef: string
  walletAddress: Hex
  agent: string
  quoteId: string | null
  tokenIn: Hex
  tokenOut: Hex
  amountIn: bigint
  /** What the quote promised; null until the trade is simulated. */
  expectedOut: bigint | null
  minimumOut: bigint | null
  route: Route | null
  /** Worth of the trade in 1e-18 USD when it was checked against the caps; null where nothing prices it. */
  valueUsd: bigint | null
  state: ExecutionState
  message: string
  transactionHash: Hex | null
  amountOut: bigint | null
  gasUsed: bigint | null
  feeWei: bigint | null
  blockNumber: bigint | null
  createdAt: Date
  updatedAt: Date
}

export type ExecutionChange = Partial<
  Omit<Execution, 'id' | 'userId' | 'idempotencyKey' | 'fingerprint' | 'createdAt' | 'updatedAt'>
> & { updatedAt: Date }

export interface Executions {
  /** Takes the key, or answers the execution that holds it: one unique index decides between simultaneous callers. */
  begin(execution: Execution): Promise<{ execution: Execution; created: boolean }>
  /** Gives the key and a claimed quote back: refused before a nonce was reserved. Does nothing to one that has a nonce. */
  discard(executionId: string): Promise<void>
  /** Makes the change where the present state is one of `from`; answers what is stored afterwards, null where discarded. */
  update(executionId: string, from: readonly ExecutionState[], change: ExecutionChange): Promise<Execution | null>
  find(userId: number, executionId: string): Promise<Execution | null>
  /** Whosever it is; for those who watch the chain. */
  load(executionId: string): Promise<Execution | null>
  findByKey(userId: number, idempotencyKey: string): Promise<Execution | null>
  /** Newest first; `cursor` is the last id of the page before. */
  list(userId: number, cursor: string | null, limit: number): Promise<Execution[]>
  /** Executions without a nonce that did not change since the moment: a dead process left them. */
  abandoned(before: Date): Promise<Execution[]>
  /** True where other processes may be at work on the same store. */
  readonly shared: boolean
  /** Settles when the execution may have changed, half a second later at most, or when the signal aborts. */
  changed(executionId: string, signal: AbortSignal): Promise<void>
  /** False where the quote was traded already: a quote is used once. */
  claimQuote(quoteId: string, executionId: string): Promise<boolean>
}

/** What limits real trades. USD caps are in 1e-18 USD; null is no cap. */
export type TradingSettings = {
  enabled: boolean
  /** May a caller leave the risk checks out. */
  skipRiskAllowed: boolean
  maxTradeUsd: bigint | null
  maxDailyUsd: bigint | null
  /** Address callers reach the gateway by, without a slash at its end. */
  publicUrl: string
}

/** A stop order for trading: everywhere, on a chain, or for a wallet. */
export type Halt = { scope: 'global' | 'chain' | 'wallet'; id: string }

export interface Halts {
  set(halt: Halt, at: Date): Promise<void>
  clear(halt: Halt): Promise<void>
  /** The first halt that covers the trade, or null. */
  covering(chainId: number, wallet: Hex): Promise<Halt | null>
  list(): Promise<Halt[]>
}
