import type { contract } from '../../contract/index.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'
import type { Hex, Route } from './chains.ts'
import type { Move, State } from './moves.ts'

/** A quote as it was given, kept so that risk and execution can be bound to it. Amounts in smallest units. */
export type StoredQuote = {
  id: string
  userId: number
  chainId: number
  tokenIn: Hex
  tokenOut: Hex
  amountIn: bigint
  /** The amount as requested, such as `100 usd`. */
  requestedAmount: string
  /** What arrives in the wallet: taxes of the tokens are taken off. */
  expectedOut: bigint
  /** What the tokens keep of what the pools pay; null where it could not be measured. */
  transferTaxBps: number | null
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
  /** Forgets quotes that ran out before the moment, and that they were traded; answers how many, `limit` at most. */
  purge(before: Date, limit: number): Promise<number>
}

export type ExecutionState = Exclude<State, 'rejected'>

/** What the first answer of a trade told beside its course, so that a replay tells the same. */
export type AnswerFacts = Pick<OutputOf<typeof contract.trading.execute>, 'quote' | 'risk'>

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
  /** How many moves it has made; grows with each. */
  step: number
  message: string
  facts: AnswerFacts | null
  /** Hashes of the transactions and blocks that decided it, as they are booked; null while nothing has. */
  basis: string | null
  transactionHash: Hex | null
  amountOut: bigint | null
  gasUsed: bigint | null
  feeWei: bigint | null
  blockNumber: bigint | null
  createdAt: Date
  updatedAt: Date
}

export type ExecutionChange = Partial<
  Omit<
    Execution,
    'id' | 'userId' | 'idempotencyKey' | 'fingerprint' | 'state' | 'step' | 'facts' | 'createdAt' | 'updatedAt'
  >
> & { updatedAt: Date }

/** An execution as it was after one of its moves. */
export type ExecutionMove = Pick<
  Execution,
  'step' | 'state' | 'message' | 'transactionHash' | 'amountOut' | 'gasUsed' | 'feeWei' | 'blockNumber' | 'updatedAt'
>

export interface Executions {
  /** Takes the key, or answers the execution that holds it: one unique index decides between simultaneous callers. */
  begin(execution: Execution): Promise<{ execution: Execution; created: boolean }>
  /**
   * Gives the key back: refused before a nonce was reserved, for the reason that the audit log keeps. Does nothing to one
   * that has a nonce.
   */
  discard(executionId: string, why?: string): Promise<void>
  /**
   * Makes the move with its changes and writes it down, in one transaction; answers what is stored then, null where
   * another process moved it first or it was discarded.
   */
  move(execution: Execution, move: Move<ExecutionState>, change: ExecutionChange): Promise<Execution | null>
  /**
   * Says more of the present state; no move, and nothing where it has moved on since. Who watches is not woken: each
   * step is told once, under its own event id, so reads and watches that begin later show it.
   */
  explain(execution: Execution, message: string): Promise<void>
  /** Moves after the step, oldest first. */
  moves(executionId: string, afterStep: number): Promise<ExecutionMove[]>
  /** Keeps what the first answer tells; no move. */
  keepFacts(executionId: string, facts: AnswerFacts): Promise<void>
  find(userId: number, executionId: string): Promise<Execution | null>
  /** Whosever it is; for those who watch the chain. */
  load(executionId: string): Promise<Execution | null>
  findByKey(userId: number, idempotencyKey: string): Promise<Execution | null>
  /** Newest first; `cursor` is the last id of the page before. */
  list(userId: number, cursor: string | null, limit: number): Promise<Execution[]>
  /**
   * Ids from after `after` on of executions without a nonce that did not change since the moment, or whose process has
   * been dead for a while.
   */
  abandoned(before: Date, after: string, limit: number): Promise<string[]>
  /** True where other processes may be at work on the same store. */
  readonly shared: boolean
  /** Settles when the execution may have changed, half a second later at most, or when the signal aborts. */
  changed(executionId: string, signal: AbortSignal): Promise<void>
  /** Lets the keys of settled trades that were asked for before the moment serve other trades; answers how many. */
  freeKeys(before: Date, limit: number): Promise<number>
  /** Forgets moves before the moment of trades that are settled; answers how many, `limit` at most. */
  purgeMoves(before: Date, limit: number): Promise<number>
}
