import type { Hex, SignableTransaction, TransactionCall } from './chains.ts'

/** Reference of the wallet that every account has, and that is used where a request names none. */
export const usualWallet = 'default'

/** A new wallet. The signer seals (encrypts) its key before it reaches storage; `imported` marks a key of the owner. */
export type SealedWallet = { ref: string; address: Hex; sealedKey: string; imported?: true }

/** A wallet whose key the remote signer holds. */
export type RemoteWallet = { ref: string; address: Hex; sealedKey: null }

/** A Web3 Secret Storage file of version 3, as it was sent. */
export type Keystore = Record<string, unknown>

export type FundingState = 'none' | 'wanted' | 'sent' | 'done' | 'failed'

/**
 * Failed payments of the starting money: how many failed, how many of those were mined, why the last one failed, and
 * when the next one is due (null for never).
 */
export type FundingFailure = { tries: number; mined: number; why: string; retryAt: Date | null }

/** Who holds the key of a wallet: the gateway, in sealed form, or a remote signer. */
type Custody = 'gateway' | 'remote_signer'

export type Wallet = {
  id: number
  userId: number
  ref: string
  address: Hex
  custody: Custody
  funding: FundingState
  /** The reason of the last failed payment; it stays when a later payment succeeds. */
  fundingFailure: FundingFailure | null
  /** True where its key was made here, so that the books can know each of its transactions. */
  fresh: boolean
  createdAt: Date
}

/** Wallets of accounts, by reference. */
export interface Wallets {
  /**
   * 'taken' where the account has a wallet of that name, 'held' where the address is a wallet of any account, null
   * where the account has `limit` wallets. Imports and grants by an operator are written to the audit log in the same
   * transaction.
   */
  create(
    userId: number,
    wallet: SealedWallet | RemoteWallet,
    funding: FundingState,
    at: Date,
    limit: number,
  ): Promise<Wallet | null | 'taken' | 'held'>
  list(userId: number): Promise<Wallet[]>
  find(userId: number, ref: string): Promise<Wallet | null>
  /** Of any account; for background work. */
  load(walletId: number): Promise<Wallet | null>
  /** Wallets whose starting money is due and not sent, oldest first, with ids greater than `after`. */
  unfunded(at: Date, after: number, limit: number): Promise<Wallet[]>
  /** Requests the failed starting money again; false where another process did so since the wallet was read. */
  retryFunding(wallet: Wallet): Promise<boolean>
  /** A new failure replaces the previous one. */
  setFunding(walletId: number, state: FundingState, failure?: FundingFailure): Promise<void>
  /** Finds a wallet of any account by its address. */
  findByAddress(address: Hex): Promise<Wallet | null>
  /** Writes the export of the key to the audit log. Call it before the key is returned. */
  recordExport(wallet: Wallet): Promise<void>
  /** Null for an address without a wallet, and where the remote signer holds the key. */
  sealedKey(address: Hex): Promise<{ userId: number; sealedKey: string } | null>
}

/** Creates and uses keys. A key leaves it only in sealed form, or as a keystore encrypted with its owner's password. */
export interface Signer {
  /** A new key, sealed with the master key for this account. */
  generate(userId: number, ref: string): SealedWallet
  /** The key of a keystore, sealed with the master key for this account. INVALID_ARGUMENT says what is wrong with the keystore. */
  importKeystore(userId: number, ref: string, keystore: Keystore, password: string): Promise<SealedWallet>
  /**
   * The key of a wallet, encrypted with a password of its owner. FAILED_PRECONDITION where the gateway does not hold
   * the key.
   */
  exportKeystore(address: Hex, password: string): Promise<Keystore>
  /**
   * Signs for a wallet of an account or for the treasury. FAILED_PRECONDITION where it can never be signed with the
   * available keys; UNAVAILABLE where a remote signer does not respond.
   */
  sign(account: Hex, transaction: SignableTransaction): Promise<{ raw: Hex; hash: Hex }>
  /** The account that funds new wallets and the faucet; null outside the sandbox. */
  readonly treasury: Hex | null
  /** Requests the accounts of the remote signer; null where none is connected. */
  readonly remoteAccounts: (() => Promise<readonly Hex[]>) | null
}

/** The starting money of a new wallet, paid by the treasury in one transaction. */
export interface Grants {
  readonly chainId: number
  forAccount(to: Hex): TransactionCall
  /** The amounts of one grant in smallest units; `native` is the native currency. */
  readonly amounts: readonly { token: Hex | 'native'; amount: bigint }[]
}
