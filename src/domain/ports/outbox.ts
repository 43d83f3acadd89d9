import type { Chain, Fees, Hex, Leg, TransactionCall } from './chains.ts'
import type { Move, State } from './moves.ts'
import type { TradeReservation } from './trade-policy.ts'

/**
 * What a transaction of the outbox is for. `trade` and `revoke` (of an approval that its trade did not use) have an
 * execution id, `wallet` the id of a wallet and how many earlier payments of its starting money failed, `faucet` a
 * claim id. `gap` cancels an unused nonce: `<address>:<nonce>:<minute>`.
 */
export type Reference =
  | { kind: 'trade'; id: string }
  | { kind: 'revoke'; id: string }
  | { kind: 'wallet'; id: number; failed: number }
  | { kind: 'faucet'; id: string }
  | { kind: 'gap'; id: string }

/**
 * A reference as storage returns it. `unknown` is the text of a kind that only another version of the gateway knows.
 */
export type StoredReference = Reference | { kind: 'unknown'; id: string }

/** The reference of one kind. */
export type ReferenceOf<Kind extends Reference['kind']> = Extract<Reference, { kind: Kind }>

export type OutgoingState = Exclude<State, 'requested' | 'simulated' | 'rejected'>

/**
 * One signed form of a transaction. All attempts share the nonce; `cancel` only uses it up, so that the others cannot
 * be mined.
 */
export type Attempt = {
  purpose: 'leg' | 'cancel'
  raw: Hex
  hash: Hex
  fees: Fees
  /** Number of the newest block when a node first accepted it; null while none has. */
  offeredAt: bigint | null
}

/** What was mined: the transaction as requested, the same without effect, or the attempt that cancels it. */
export type Outcome = 'success' | 'reverted' | 'cancelled'

/** A transaction of the gateway, from its nonce to its final block. */
export type Outgoing = {
  id: number
  /** Grows with each write: a change applies to the version that was read, or not at all. */
  version: number
  chainId: number
  from: Hex
  /** The account whose wallet sends; 0 is the gateway itself, null where an earlier version stored the transaction. */
  userId: number | null
  /** Null once it failed without reaching the chain: its nonce is free again. */
  nonce: number | null
  kind: Leg['kind']
  reference: StoredReference
  call: TransactionCall
  gas: bigint
  /** Chain time in seconds after which it must not be broadcast any more; null is never. */
  deadline: bigint | null
  /** Oldest first. */
  attempts: readonly Attempt[]
  /** The hash of the attempt that was mined, else of the newest attempt. */
  hash: Hex | null
  state: OutgoingState
  outcome: Outcome | null
  blockNumber: bigint | null
  blockHash: Hex | null
  /** Why it failed; in a state that can still be mined, why it is being cancelled. */
  error: string | null
  /** Why it cannot be cancelled, so that it may still be mined; null otherwise. */
  uncancellable: string | null
  /** True once the follower of the reference was notified of this version. */
  notified: boolean
}

export type OutgoingChange = {
  move?: Move<OutgoingState>
  /** Adds an attempt, which becomes the newest. */
  attempt?: Attempt
  /** A node first accepted the attempt of this hash at this block. */
  offered?: { hash: Hex; at: bigint }
  mined?: { hash: Hex; outcome: Outcome; blockNumber: bigint; blockHash: Hex }
  error?: string
  uncancellable?: string | null
}

/** A block that holds transactions of the gateway in one state. */
export type ConfirmingBlock = { number: bigint; hash: Hex; state: 'included' | 'safe' }

/** A change to the version of a transaction that was read. */
export type TransactionChange = { transaction: Outgoing; change: OutgoingChange }

export type ReserveRequest = {
  chainId: number
  from: Hex
  reference: Reference
  legs: readonly Leg[]
  /** Chain time in seconds past which it is cancelled. */
  deadline?: bigint
  /** The chain's own next nonce, pending transactions included. */
  floor: number
  trade?: TradeReservation
  /** Reserves exactly this nonce, to close a gap. */
  at?: number
}

/** An attempt of a transaction that a node was offered and that is in no block yet; the sender is in lower case. */
export type WaitingAttempt = Pick<Attempt, 'hash' | 'offeredAt'> & Pick<Outgoing, 'from' | 'deadline' | 'error'>

/** The transactions of one account that wait for a block. */
export type Queue = {
  from: Hex
  waiting: number
  /** The one with the lowest nonce, which the others wait for; its time is null where an earlier version stored it. */
  first: { reference: StoredReference; nonce: number; createdAt: Date | null }
}

/** Why nothing was reserved: the execution is gone, the requested nonce is taken, or a safeguard forbids the trade. */
export type ReserveRefusal = 'gone' | 'taken' | { forbidden: string }

/** The gateway's transactions, stored before they are broadcast. Nonces are handed out here and nowhere else. */
export interface Outbox {
  /**
   * In one database transaction: checks the safeguards of a trade, uses its quote, takes the next nonces for all legs
   * without a gap, and moves the execution to `reserved`. A reference that has transactions already returns those. A
   * refusal stores nothing.
   */
  reserve(request: ReserveRequest): Promise<readonly Outgoing[] | { refused: ReserveRefusal }>
  /**
   * Writes the changes in one database transaction, equal ones by one statement, and returns what is stored then;
   * null where another process changed one of them first, and then nothing is written. A move to `failed` frees the
   * nonce, one to `reorganised` removes the block.
   */
  change(changes: readonly TransactionChange[]): Promise<Outgoing[] | null>
  /** The transactions of a reference, in the order in which they must be mined. */
  byReference(reference: Reference): Promise<Outgoing[]>
  /** Finds a transaction by the hash of any of its attempts. */
  byHash(hash: Hex): Promise<Outgoing | null>
  /**
   * Accounts with open work, in lower case, by address from after `after` on: all of them, or those whose work does not
   * merely wait for a block.
   */
  accountsWithWork(chainId: number, which: 'all' | 'at_once', after: string, limit: number): Promise<Hex[]>
  /** The attempts of transactions that merely wait for a block, by hash from after `after` on. */
  waiting(chainId: number, after: string, limit: number): Promise<WaitingAttempt[]>
  /** The account's transactions with open work, oldest first, from after the id `after` on. */
  unfinished(chainId: number, from: Hex, after: number, limit: number): Promise<Pick<Outgoing, 'id' | 'reference'>[]>
  /** The blocks that hold transactions and may still leave the chain, and the state of these; lowest first. */
  confirmingBlocks(chainId: number): Promise<ConfirmingBlock[]>
  /** The oldest transactions in such a block, from after the id `after` on. */
  confirming(chainId: number, block: ConfirmingBlock, after: number, limit: number): Promise<Outgoing[]>
  /** The account's nonces in use, from `floor` on, ascending. */
  takenNonces(chainId: number, from: Hex, floor: number): Promise<number[]>
  /** The queues of a chain's accounts, by the time of their first transaction; those without a time come before all. */
  queues(chainId: number, limit: number): Promise<Queue[]>
  /** True where the account has transactions that wait for a block or whose follower was not notified yet. */
  busy(chainId: number, from: Hex): Promise<boolean>
  /** The newest block that is not final and holds a transaction of the account; null without one. */
  newestBlock(chainId: number, from: Hex): Promise<{ number: bigint; hash: Hex } | null>
  /** Marks these versions as notified. With `settledAt` they are final and no longer watched. */
  markNotified(transactions: readonly Outgoing[], settledAt: Date | null): Promise<void>
  /** Deletes transactions settled before the moment, with their attempts. Returns how many, `limit` at most. */
  purge(before: Date, limit: number): Promise<number>
  /** Settles when the transactions may have changed, after half a second at the latest, or when the signal aborts. */
  changed(reference: Reference, signal: AbortSignal): Promise<void>
  /** Locks the account for this process; false while another living process holds the lock. It may be locked again. */
  lockAccount(chainId: number, from: Hex): Promise<boolean>
  unlockAccount(chainId: number, from: Hex): Promise<void>
}

export type SendRequest = {
  chain: Chain
  from: Hex
  reference: Reference
  legs: readonly Leg[]
  /** Chain time in seconds past which it is cancelled. */
  deadline?: bigint
}

/**
 * The only way a transaction leaves the gateway: reserve nonces, sign, store the bytes, broadcast, watch. The
 * execution, the wallet or the claim that it belongs to follows its state.
 */
export interface Sender {
  /**
   * Settles once the transactions are stored and the node was called with them; one that the node did not accept is
   * broadcast again at each block. When it rejects, nothing is stored.
   */
  send(request: SendRequest): Promise<readonly Outgoing[]>
  /** Sends the transactions of a trade like `send`. Returns why it was refused, or null once it is sent. */
  sendTrade(
    request: Omit<SendRequest, 'reference'> & { deadline: bigint; trade: TradeReservation },
  ): Promise<ReserveRefusal | null>
}

/**
 * How processes of one database share the work on transactions. A process that works holds a lease with a number: one that
 * was paused until another one took its work over writes nothing of what it began.
 */
export interface Workers {
  /** True where this process follows the chain for all. It takes over where no living process does. */
  watches(chainId: number): Promise<boolean>
  /** Runs work whose writes are refused once another process follows the chain. */
  asWatcher<T>(chainId: number, work: () => Promise<T>): Promise<T>
  /** Runs work whose writes are refused once another process has locked the account; lock it first. */
  asHolder<T>(chainId: number, from: Hex, work: () => Promise<T>): Promise<T>
  /** Tells the workers of other processes that transactions of the chain were reserved and wait for them. */
  wake(chainId: number): void
  /** Whether a process lives that takes the steps. */
  isManned(): Promise<boolean>
  /** Calls the listener when another process wakes the workers. Returns a function that removes it. */
  onWake(chainId: number, listener: () => void): () => void
}
