import type { Chain, Fees, Hex, Leg, TransactionCall } from './chains.ts'
import type { Move, State } from './moves.ts'
import type { TradeReservation } from './trade-policy.ts'

export type OutgoingState = Exclude<State, 'requested' | 'simulated' | 'rejected'>

/** One signed form of a transaction. All attempts share the nonce; `fill` does nothing but use it up. */
export type Attempt = {
  purpose: 'leg' | 'fill'
  raw: Hex
  hash: Hex
  fees: Fees
  /** Newest block when a node first had it; null while none has. */
  offeredAt: bigint | null
}

/** What the block holds: what was asked for, the same without effect, or another attempt that fills the nonce. */
export type Outcome = 'success' | 'reverted' | 'filled'

/** A transaction of ours from its nonce to its last block. */
export type Outgoing = {
  id: number
  /** Grows with each write: a change is made to the version that was read, or not at all. */
  version: number
  chainId: number
  from: Hex
  /** Null once it failed without reaching the chain: the nonce is free again. */
  nonce: number | null
  kind: Leg['kind']
  /** What it belongs to: an execution id, `wallet:<id>` and `wallet:<id>:<try>`, `faucet:<uuid>`, `gap:<address>:<nonce>:<minute>` for a hole, `revoke:<execution id>`. */
  reference: string
  call: TransactionCall
  gas: bigint
  /** Chain time in seconds after which it must not be offered any more; null is never. */
  deadline: bigint | null
  /** Oldest first. */
  attempts: readonly Attempt[]
  /** Of the attempt that was mined, else of the newest one. */
  hash: Hex | null
  state: OutgoingState
  outcome: Outcome | null
  blockNumber: bigint | null
  blockHash: Hex | null
  /** Why it failed; in a state that can still be mined, why it is given up and its nonce filled. */
  error: string | null
  /** Why the nonce of what is given up cannot be filled, so that it may still be mined; null once it is filled. */
  unfillable: string | null
}

export type OutgoingChange = {
  move?: Move<OutgoingState>
  /** Adds an attempt, which becomes the newest. */
  attempt?: Attempt
  /** The attempt of this hash was first with a node at this block. */
  offered?: { hash: Hex; at: bigint }
  mined?: { hash: Hex; outcome: Outcome; blockNumber: bigint; blockHash: Hex }
  error?: string
  unfillable?: string | null
}

export type ReserveRequest = {
  chainId: number
  from: Hex
  reference: string
  legs: readonly Leg[]
  deadline?: bigint
  /** The chain's own next nonce, those waiting included. */
  floor: number
  trade?: TradeReservation
  /** Takes exactly this nonce, to fill a hole. */
  at?: number
}

/** Why nothing was reserved: the execution is gone, the nonce asked for is taken, or a safeguard forbids the trade. */
export type ReserveRefusal = 'gone' | 'taken' | { forbidden: string }

/** Transactions of ours, stored before they leave. Nonces are handed out here and nowhere else. */
export interface Outbox {
  /**
   * In one transaction: the safeguards of a trade, the use of its quote, the next nonces for all legs without a gap, and
   * the execution's move to `reserved`. A reference that has legs already is answered with those. Where it is refused nothing is stored.
   */
  reserve(request: ReserveRequest): Promise<readonly Outgoing[] | { refused: ReserveRefusal }>
  /**
   * Writes the change in one transaction and answers what is stored then; null where another process was first. A move
   * to `failed` frees the nonce, one to `reorganised` forgets the block.
   */
  change(leg: Outgoing, change: OutgoingChange): Promise<Outgoing | null>
  /** In the order of the legs. */
  byReference(reference: string): Promise<Outgoing[]>
  /** By the hash of any attempt. */
  byHash(hash: Hex): Promise<Outgoing | null>
  /** Accounts with something to do at each block, in lower case, by address from after `after` on. */
  atWork(chainId: number, after: string, limit: number): Promise<Hex[]>
  /** What of an account has something to do at each block: the oldest transactions from after the id `after` on. */
  unfinished(chainId: number, from: Hex, after: number, limit: number): Promise<Pick<Outgoing, 'id' | 'reference'>[]>
  /** The oldest transactions, from after the id `after` on, whose block may still leave the chain. */
  maturing(chainId: number, after: number, limit: number): Promise<Outgoing[]>
  /** Nonces of an account that are taken, from `floor` on, rising. */
  takenNonces(chainId: number, from: Hex, floor: number): Promise<number[]>
  /** Has the account transactions that wait for a block, or that nobody was told of yet. */
  busy(chainId: number, from: Hex): Promise<boolean>
  /** The newest block that holds a transaction of the account, as far as it may still leave the chain; null without one. */
  newestBlock(chainId: number, from: Hex): Promise<{ number: bigint; hash: Hex } | null>
  /** Whoever the legs belong to has heard of these versions; those settled, at the moment, are watched no more. */
  markTold(legs: readonly Outgoing[], settledAt: Date | null): Promise<void>
  /** Forgets transactions with their attempts that were settled before the moment; answers how many, `limit` at most. */
  purge(before: Date, limit: number): Promise<number>
  /** Settles when the reference was told of, half a second later at most, or when the signal aborts. */
  changed(reference: string, signal: AbortSignal): Promise<void>
  /** Takes the account's work for this process; false while another living process has it. Ours may be taken again. */
  claimLane(chainId: number, from: Hex): Promise<boolean>
  releaseLane(chainId: number, from: Hex): Promise<void>
}

export type SendRequest = {
  chain: Chain
  from: Hex
  reference: string
  legs: readonly Leg[]
  /** Chain time in seconds past which it is given up. */
  deadline?: bigint
}

/**
 * The only way a transaction leaves the gateway: reserve nonces, sign, store the bytes, broadcast, watch. What becomes of
 * it is told to the execution, the wallet or the claim that it belongs to.
 */
export interface Sender {
  /**
   * Answers once the legs are stored and were offered to the node; what the node could not take is offered again at each
   * block. When it rejects, nothing is stored.
   */
  send(request: SendRequest): Promise<readonly Outgoing[]>
  /** The same for a trade: answers in words which safeguard forbids it, or null once it is sent. */
  sendTrade(request: SendRequest & { deadline: bigint; trade: TradeReservation }): Promise<string | null>
}
