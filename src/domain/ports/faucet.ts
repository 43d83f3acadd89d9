import type { Tier } from '../../contract/shared/limits.ts'
import type { Hex } from './chains.ts'

/** A payment of the faucet: the amount in wei, and how long its address waits for the next one, by the claim's own terms. */
export type FaucetClaim = {
  id: string
  chainId: number
  address: Hex
  amount: bigint
  cooldownMs: number
  createdAt: Date
}

/** A claim that was granted; the hash is of its transaction, once that is final. */
export type StoredClaim = FaucetClaim & { state: ClaimState; hash: Hex | null }

/** How a claim ended for good. */
export type ClaimEnd = { paid: boolean; hash: Hex | null }

/**
 * `queued` is promised and has no transaction yet, `sent` has one, `failed` can be paid no more: it frees its address and
 * does not count for its caller.
 */
export type ClaimState = 'queued' | 'sent' | 'failed'

/** What one claim pays in wei, and the milliseconds between two payments to one address. */
export type FaucetTerms = { amount: bigint; cooldownMs: number }

/** What the faucet gives, and how much of it. Amounts in wei. */
export type FaucetRules = FaucetTerms & {
  /** Claims that one caller may be granted in any such time; null is no limit. */
  perCaller: { claims: number; windowMs: number } | null
  /** Terms of callers with an API key, where they are others. */
  tiers: Partial<Record<Tier, FaucetTerms>>
  /** Most that all payments of one UTC day may come to. */
  dailyCap: bigint
}

export type FaucetSettings = FaucetRules & {
  /** How long a claim waits for its transaction before it is told as queued, for a slow chain or the payments before it. */
  patienceMs: number
}

/** Which limit a claim met, and when it is over. */
export type ClaimRefusal = { limit: 'address' | 'caller' | 'cap'; until: Date }

export interface FaucetClaims {
  /**
   * Stores the claim as `queued` unless a limit stands against it, counted exactly whoever asks at once and in whatever
   * process. `callerKey` names who asks.
   */
  begin(claim: FaucetClaim, callerKey: string, limits: FaucetRules): Promise<ClaimRefusal | null>
  /** What stands against the claim at this moment; looked at, not counted. */
  standing(claim: FaucetClaim, callerKey: string, limits: FaucetRules): Promise<ClaimRefusal | null>
  find(id: string): Promise<StoredClaim | null>
  /** By the hash that it ended with. */
  findByHash(hash: Hex): Promise<StoredClaim | null>
  /** Claims on a chain that have no transaction yet, oldest first, a hundred at most. */
  queued(chainId: number): Promise<FaucetClaim[]>
  /** Its transaction is in the outbox. */
  markSent(id: string): Promise<void>
  /** Its transaction is final. Where that paid nothing, the address may claim again, and the day has its money back. */
  end(id: string, end: ClaimEnd): Promise<void>
}

/** Tells humans from programs. */
export interface Captcha {
  /** True where the answer is good. UNAVAILABLE where nobody can tell now. */
  verify(answer: string, clientAddress: string): Promise<boolean>
}
