import type { Hex, SignableTransaction, TransactionCall } from './chains.ts'

/** A new wallet: its key is sealed (encrypted) by the signer before it reaches storage. */
export type SealedWallet = { ref: string; address: Hex; sealedKey: string }

export type FundingState = 'none' | 'wanted' | 'sent' | 'done' | 'failed'

export type Wallet = { id: number; userId: number; ref: string; address: Hex; funding: FundingState; createdAt: Date }

/** Wallets of accounts, by reference. */
export interface Wallets {
  /** Null where the account has `limit` wallets already, 'taken' where the reference is in use. */
  create(
    userId: number,
    wallet: SealedWallet,
    funding: FundingState,
    at: Date,
    limit: number,
  ): Promise<Wallet | null | 'taken'>
  list(userId: number): Promise<Wallet[]>
  find(userId: number, ref: string): Promise<Wallet | null>
  /** Wallets whose sandbox funding a dead process left unfinished. */
  unfunded(): Promise<Wallet[]>
  setFunding(walletId: number, state: FundingState): Promise<void>
  /** The wallet and its account by address, for whoever watches the chain. */
  findByAddress(address: Hex): Promise<Wallet | null>
  sealedKey(address: Hex): Promise<string | null>
}

/** Makes and holds keys. Private keys never leave it unsealed. */
export interface Signer {
  /** A new key, sealed with the master key. */
  generate(ref: string): SealedWallet
  /** Signs for a wallet of an account or for the treasury. */
  sign(account: Hex, transaction: SignableTransaction): Promise<{ raw: Hex; hash: Hex }>
  /** The account that funds new wallets and the faucet; null outside the sandbox. */
  readonly treasury: Hex | null
}

/** The starting money of a new wallet, given by the treasury in one transaction. */
export interface Grants {
  readonly chainId: number
  forAccount(to: Hex): TransactionCall
  /** What one grant brings, in smallest units; `native` is the native currency. */
  readonly amounts: readonly { token: Hex | 'native'; amount: bigint }[]
}
