import type { Hex } from './chains.ts'

/** A payment of the faucet. The amount is in wei. */
export type FaucetClaim = { id: string; address: Hex; amount: bigint; createdAt: Date }

export interface FaucetClaims {
  /** Stores the claim unless the address has one since the moment: then that one. `cap` where too many were paid in all. */
  begin(
    claim: FaucetClaim,
    since: Date,
    mostInAll: number,
  ): Promise<{ claimed: true } | { claimed: false; last: FaucetClaim | 'cap' }>
  find(id: string): Promise<FaucetClaim | null>
  /** It was not paid: the address may claim again. */
  release(id: string): Promise<void>
}
