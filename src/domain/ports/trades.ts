import type { contract } from '../../contract/index.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'
import type { Hex, Route } from './chains.ts'
import type { Move, State } from './moves.ts'

/** A quote as it was returned, stored so that risk checks and executions can refer to it. Amounts in smallest units. */
export type StoredQuote = {
  id: string
  userId: number
  chainId: number
  tokenIn: Hex
  tokenOut: Hex
  amountIn: bigint
  /** The amount as requested, such as `100 usd`. */
  requestedAmount: string
  /** The amount that arrives in the wallet, after transfer taxes of the tokens. */
  expectedOut: bigint
  /** The share of the pools' payment that transfer taxes take; null where it could not be measured. */
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
  /** Null for a quote of another account. */
  find(userId: number, quoteId: string): Promise<StoredQuote | null>
  /** Deletes quotes that expired before the moment, with the record of their use; returns how many, `limit` at most. */
  purge(before: Date, limit: number): Promise<number>
}

export type ExecutionState = State

/** Parts of the first response to a trade that do not change with its state, so that a replay returns the same. */
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
  /** The session that requested it; null where an earlier version stored none. */
  sessionId: string | null
  tokenIn: Hex
  tokenOut: Hex
  amountIn: bigint
  /** The quote's expected amount; null until the trade is simulated. */
  expectedOut: bigint | null
  minimumOut: bigint | null
  route: Route | null
  /** The request as JSON text, of a trade that the account had to confirm; null for others. */
  awaitedRequest: string | null
  /** Value of the trade in 1e-18 USD when it was checked against the caps; null where it has no price. */
  valueUsd: bigint | null
  state: ExecutionState
  /** Number of the last move; grows by one with each. */
  step: number
  message: string
  facts: AnswerFacts | null
  /** Hashes of the transactions and blocks that are booked for it; null while there are none. */
  basis: string | null
  transactionHash: Hex | null
  amountOut: bigint | null
  gasUsed: bigint | null
  feeWei: bigint | null
  blockNumber: bigint | null
  /** When the fill was read from a block; null without one. */
  filledAt: Date | null
  createdAt: Date
  updatedAt: Date
}

export type ExecutionChange = Partial<
  Omit<Execution, 'id' | 'userId' | 'idempotencyKey' | 'fingerprint' | 'state' | 'step' | 'createdAt' | 'updatedAt'>
> & { updatedAt: Date }

/** A move of an execution and what changes with it. */
export type ExecutionStep = { move: Move<ExecutionState>; change: ExecutionChange }

/** An execution after one of its moves. */
export type ExecutionMove = Pick<
  Execution,
  | 'step'
  | 'state'
  | 'message'
  | 'transactionHash'
  | 'amountOut'
  | 'gasUsed'
  | 'feeWei'
  | 'blockNumber'
  | 'filledAt'
  | 'updatedAt'
>

/** Which executions to list. `cursor` is that of the previous page; `end` is exclusive. */
export type ExecutionFilter = {
  cursor: string | null
  /** Only those for which it returns true. */
  fits?: (execution: Pick<Execution, 'state' | 'amountOut' | 'tokenIn' | 'tokenOut' | 'agent'>) => boolean
  /** Its swap has the hash, or it is this one. */
  transaction?: { hash: Hex; executionId: string | null }
  start?: Date
  end?: Date
}

/** An entry of the audit log about a trade. */
export type AuditedEvent = {
  at: Date
  kind: 'quote' | 'risk' | 'decision' | 'signature' | 'send' | 'receipt'
  facts: Record<string, unknown>
}

/** An execution that has its key; `created` is false where it had it before. */
export type Begun = { execution: Execution; created: boolean }

/** USD in 1e-18 of an account's trades, and by the session that asked for them. */
export type Traded = {
  accountUsd: bigint
  sessions: ReadonlyMap<string, { usd: bigint; trades: number }>
  /** By the address of the wallet, as it is stored. */
  wallets: ReadonlyMap<string, bigint>
}

/** Whose trades that wait are as many as they may be, and since when the oldest waits. */
export type WaitingFull = { full: 'session' | 'account'; since: Date }

export interface Executions {
  /**
   * Stores the execution under its key, or returns the one that has the key already; a unique index decides between
   * simultaneous callers.
   */
  begin(execution: Execution): Promise<Begun>
  /**
   * The same with a confirmation, which is used up in the same transaction and stays used whatever becomes of the
   * execution. Null where it was used before, unless for the execution that has the key.
   */
  beginConfirmed(execution: Execution, confirmationId: string): Promise<Begun | null>
  /**
   * Deletes an execution that has no nonce yet, and frees its key. One that waits for the account stays as `rejected`. With
   * `why`, the refusal is written to the audit log. False where it did nothing, as to one that has a nonce.
   */
  discard(executionId: string, why?: string): Promise<boolean>
  /**
   * Lets an execution wait for the account, as `move` does. Where the session or the account has as many that wait since
   * `after` as it may, nothing changes, and the answer is when the oldest of them began to wait. Null as by `move`, and where
   * the session has ended.
   */
  wait(execution: Execution, step: ExecutionStep, after: Date): Promise<Execution | WaitingFull | null>
  /** Rejects what waits of an account, or of one of its sessions, for instance because that has ended; returns the ids. */
  endWaiting(of: { userId: number; sessionId?: string }, why: string): Promise<string[]>
  /**
   * Stores the moves with their changes and their journal entries in one transaction; a risk check among the facts is
   * written to the audit log with them. Returns the stored execution, or null where another process moved it first or it
   * was discarded.
   */
  move(execution: Execution, steps: readonly ExecutionStep[]): Promise<Execution | null>
  /**
   * Replaces the message of the present step; does nothing where the execution has moved on. Open watches are not
   * notified, because each step is one event with one id; later reads and watches show the message.
   */
  explain(execution: Execution, message: string): Promise<void>
  /** The state changes after the step, oldest first. */
  moves(executionId: string, afterStep: number): Promise<ExecutionMove[]>
  find(userId: number, executionId: string): Promise<Execution | null>
  /** Finds an execution of any account; for background work. */
  load(executionId: string): Promise<Execution | null>
  /** The state of an execution of any account, at less cost; null where there is none. */
  state(executionId: string): Promise<ExecutionState | null>
  findByKey(userId: number, idempotencyKey: string): Promise<Execution | null>
  /**
   * The account's executions that match, newest first. Where many do not match, a page may have fewer than `limit`, and
   * `next` is still the cursor of the next one; null on the last.
   */
  list(userId: number, filter: ExecutionFilter, limit: number): Promise<{ items: Execution[]; next: string | null }>
  /** What the audit log has of an execution, its quote and its transactions, oldest first: the newest 1,000 entries. */
  history(execution: Execution): Promise<AuditedEvent[]>
  /** What the account traded after the moment, as daily caps count it. */
  tradedSince(userId: number, since: Date): Promise<Traded>
  /** Ids greater than `after` of executions that wait for the account since before the moment. */
  unconfirmed(before: Date, after: string, limit: number): Promise<string[]>
  /**
   * Ids greater than `after` of executions without a nonce that did not change since a time, or whose process is dead.
   */
  abandoned(before: Date, after: string, limit: number): Promise<string[]>
  /** True where other processes may use the same database. */
  readonly shared: boolean
  /** Settles at most half a second after the execution changed, perhaps without a change, or when the signal aborts. */
  changed(executionId: string, signal: AbortSignal): Promise<void>
  /** Frees the keys of settled trades requested before the moment; returns how many, `limit` at most. */
  freeKeys(before: Date, limit: number): Promise<number>
  /** Forgets confirmations that were used before the moment; returns how many, `limit` at most. */
  purgeConfirmations(before: Date, limit: number): Promise<number>
  /** Deletes trades that were rejected after they waited, before the moment; returns how many, `limit` at most. */
  purgeRejected(before: Date, limit: number): Promise<number>
  /** Deletes moves of settled trades before the moment; returns how many, `limit` at most. */
  purgeMoves(before: Date, limit: number): Promise<number>
}
