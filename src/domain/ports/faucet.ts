import type { Tier } from '../../contract/shared/limits.ts'
import type { Hex } from './chains.ts'

/**
 * A payment of the faucet: the amount in wei, and the milliseconds until its address may claim again, by the terms of
 * the claim.
 */
export type FaucetClaim = {
  id: string
  chainId: number
  address: Hex
  amount: bigint
  cooldownMs: number
  createdAt: Date
}

/** A granted claim, with the hash of its transaction once that is final. */
export type StoredClaim = FaucetClaim & { state: ClaimState; hash: Hex | null }

/** The final result of a claim. */
type ClaimEnd = { paid: boolean; hash: Hex | null }

/**
 * A `queued` claim was granted and has no transaction yet, a `sent` one has a transaction. A `failed` one will not be
 * paid, and does not count against its address or its caller.
 */
export type ClaimState = 'queued' | 'sent' | 'failed'

/** The amount of one claim in wei, and the milliseconds between two payments to one address. */
type FaucetTerms = { amount: bigint; cooldownMs: number }

/** The terms and limits of the faucet. Amounts in wei. */
export type FaucetRules = FaucetTerms & {
  /** Most claims that a caller is granted in any window of this length; null is no limit. */
  perCaller: { claims: number; windowMs: number } | null
  /** Terms for callers with an API key of these tiers, where they differ. */
  tiers: Partial<Record<Tier, FaucetTerms>>
  /** The most that all payments of one UTC day may sum to. */
  dailyCap: bigint
}

export type FaucetSettings = FaucetRules & {
  /** How long a request waits for the transaction of its claim before it returns the claim as queued. */
  waitMs: number
}

/** The limit that refuses a claim, and until when. */
export type ClaimRefusal = { limit: 'address' | 'caller' | 'cap'; until: Date }

export interface FaucetClaims {
  /**
   * Stores the claim as `queued` unless a limit refuses it. The count is exact for concurrent callers in all processes.
   * `callerKey` identifies the caller.
   */
  begin(claim: FaucetClaim, callerKey: string, limits: FaucetRules): Promise<ClaimRefusal | null>
  /** The limit that would refuse the claim now. Nothing is stored. */
  check(claim: FaucetClaim, callerKey: string, limits: FaucetRules): Promise<ClaimRefusal | null>
  find(id: string): Promise<StoredClaim | null>
  /** Finds a claim by the hash of its final transaction. */
  findByHash(hash: Hex): Promise<StoredClaim | null>
  /** Claims on a chain that have no transaction yet, oldest first, a hundred at most. */
  queued(chainId: number): Promise<FaucetClaim[]>
  /** Records that the transaction of the claim is in the outbox. */
  markSent(id: string): Promise<void>
  /**
   * Records the final result. An unpaid claim no longer counts against its address, its caller or the cap of its day.
   */
  end(id: string, end: ClaimEnd): Promise<void>
}

/** Distinguishes humans from programs. */
export interface Captcha {
  /** True where the answer is right. UNAVAILABLE where it cannot be checked now. */
  verify(answer: string, clientAddress: string): Promise<boolean>
}
