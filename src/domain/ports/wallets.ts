import type { Hex, SignableTransaction, TransactionCall } from './chains.ts'

/** Name of the wallet that every account has, which is meant where none is named. */
export const usualWallet = 'default'

/** A new wallet: its key is sealed (encrypted) by the signer before it reaches storage. `imported` came from outside. */
export type SealedWallet = { ref: string; address: Hex; sealedKey: string; imported?: true }

/** A wallet whose key lies with the remote signer. */
export type RemoteWallet = { ref: string; address: Hex; sealedKey: null }

/** A Web3 Secret Storage file of version 3, as it was read. */
export type Keystore = Record<string, unknown>

export type FundingState = 'none' | 'wanted' | 'sent' | 'done' | 'failed'

/**
 * The starting money that did not arrive: payments that failed and how many of them in a block, why the last one did, when
 * the next is due if ever.
 */
export type FundingFailure = { tries: number; mined: number; why: string; retryAt: Date | null }

/** Who holds the key of a wallet: the gateway, sealed, or a remote signer. */
export type Custody = 'gateway' | 'remote_signer'

export type Wallet = {
  id: number
  userId: number
  ref: string
  address: Hex
  custody: Custody
  funding: FundingState
  /** Of the last payment that failed; it stays when a later one brings the money. */
  fundingFailure: FundingFailure | null
  createdAt: Date
}

/** Wallets of accounts, by reference. */
export interface Wallets {
  /**
   * 'taken' where the account has a wallet of that reference, 'held' where the address is a wallet already, of whatever
   * account, null where the account has `limit` wallets. That a key came in, or that an operator gave the
   * wallet, is written to the audit log with it.
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
  /** Whosever it is; for those who watch the chain. */
  load(walletId: number): Promise<Wallet | null>
  /** Wallets whose starting money is due at the moment and not sent, the oldest from after the id `after` on. */
  unfunded(at: Date, after: number, limit: number): Promise<Wallet[]>
  /** Takes the failed starting money up again; false where another process has since the wallet was read. */
  retryFunding(wallet: Wallet): Promise<boolean>
  /** A failure replaces the one before. */
  setFunding(walletId: number, state: FundingState, failure?: FundingFailure): Promise<void>
  /** The wallet and its account by address, for whoever watches the chain. */
  findByAddress(address: Hex): Promise<Wallet | null>
  /** Writes to the audit log that the key is let out: before it is, or it must not be. */
  noteExport(wallet: Wallet): Promise<void>
  /** Null for an address without a wallet, and for one whose key lies with the remote signer. */
  sealedKey(address: Hex): Promise<string | null>
}

/** Makes, holds and uses keys. None leaves it but sealed, or as a keystore under its owner's password. */
export interface Signer {
  /** A new key, sealed with the master key. */
  generate(ref: string): SealedWallet
  /** The key of a keystore, sealed with the master key. INVALID_ARGUMENT names what is wrong with it. */
  importKeystore(ref: string, keystore: Keystore, password: string): Promise<SealedWallet>
  /** The key of a wallet under a password of its owner. FAILED_PRECONDITION where the key is not kept here. */
  exportKeystore(address: Hex, password: string): Promise<Keystore>
  /**
   * Signs for a wallet of an account or for the treasury. FAILED_PRECONDITION where it will never be signed, as it is or
   * with the keys that are here; UNAVAILABLE where a remote signer does not answer.
   */
  sign(account: Hex, transaction: SignableTransaction): Promise<{ raw: Hex; hash: Hex }>
  /** The account that funds new wallets and the faucet; null outside the sandbox. */
  readonly treasury: Hex | null
  /** The accounts of the remote signer, asked anew each time; null where none is connected. */
  readonly remoteAccounts: (() => Promise<readonly Hex[]>) | null
}

/** The starting money of a new wallet, given by the treasury in one transaction. */
export interface Grants {
  readonly chainId: number
  forAccount(to: Hex): TransactionCall
  /** What one grant brings, in smallest units; `native` is the native currency. */
  readonly amounts: readonly { token: Hex | 'native'; amount: bigint }[]
}
