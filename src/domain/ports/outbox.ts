import type { Chain, Hex, Leg, TransactionCall } from './chains.ts'

export type OutgoingState = 'reserved' | 'signed' | 'broadcast' | 'included' | 'reverted' | 'failed'

/** A transaction of ours from its nonce to its receipt. */
export type Outgoing = {
  id: number
  chainId: number
  from: Hex
  /** Null once it failed without reaching the chain: the nonce is free again. */
  nonce: number | null
  kind: Leg['kind']
  /** What it belongs to: an execution id, `wallet:<id>` for funding, `faucet:<uuid>`, `gap:<id>` for a filled hole. */
  reference: string
  call: TransactionCall
  gas: bigint
  raw: Hex | null
  hash: Hex | null
  state: OutgoingState
  error: string | null
}

/** Binds a reservation to the execution it is for, and to what its account may still spend. */
export type TradeReservation = {
  executionId: string
  at: Date
  /** Most that the account may trade from `since` on, this trade included, in 1e-18 USD; null is no cap. */
  budget: { since: Date; limitUsd: bigint } | null
}

export type ReserveRequest = {
  chainId: number
  from: Hex
  reference: string
  legs: readonly Leg[]
  /** The chain's own next nonce, those waiting included. */
  floor: number
  trade?: TradeReservation
  /** Takes exactly this nonce, to fill a hole. */
  at?: number
}

/** Transactions of ours, stored before they leave. Nonces are handed out here and nowhere else. */
export interface Outbox {
  /**
   * In one transaction: the next nonces for all legs without a gap, and the execution's move to `reserved`. A reference
   * that has legs already is answered with those. `gone` where the execution was discarded, `over_budget` past its cap,
   * `taken` where the nonce asked for is in use: then nothing is stored.
   */
  reserve(request: ReserveRequest): Promise<readonly Outgoing[] | 'gone' | 'over_budget' | 'taken'>
  /** Moves a transaction on from the state given; false where another process was first. A failed one frees its nonce. */
  move(
    id: number,
    from: OutgoingState,
    change: { state: OutgoingState; raw?: Hex; hash?: Hex; error?: string },
  ): Promise<boolean>
  /** In the order of the legs. */
  byReference(reference: string): Promise<Outgoing[]>
  byHash(hash: Hex): Promise<Outgoing | null>
  /** Legs of every reference that is not settled, final ones included, by reference in the order of the legs. */
  unsettled(chainId: number): Promise<Outgoing[]>
  /** Nonces of an account that are taken, from `floor` on, rising. */
  takenNonces(chainId: number, from: Hex, floor: number): Promise<number[]>
  /** Has the account transactions that are not settled. */
  busy(chainId: number, from: Hex): Promise<boolean>
  /** The reference is booked and needs no more watching. */
  markSettled(reference: string): Promise<void>
  /** Settles when the reference was settled, half a second later at most, or when the signal aborts. */
  changed(reference: string, signal: AbortSignal): Promise<void>
}

export type SendRequest = { chain: Chain; from: Hex; reference: string; legs: readonly Leg[]; trade?: TradeReservation }

/**
 * The only way a transaction leaves the gateway: reserve nonces, sign, store the bytes, broadcast, watch. What becomes of
 * it is told to the execution, the wallet or the claim that it belongs to.
 */
export interface Sender {
  /**
   * Answers once the legs are stored and were offered to the node; what the node could not take is offered again at each
   * block. When it rejects, nothing is stored: FAILED_PRECONDITION where the execution was discarded or is over its cap.
   */
  send(request: SendRequest): Promise<readonly Outgoing[]>
}
