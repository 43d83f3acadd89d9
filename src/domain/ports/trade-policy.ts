import type { Hex } from './chains.ts'
import type { Wallet } from './wallets.ts'

/** What limits real trades; null is no limit. USD in 1e-18, addresses in any letter case. */
export type TradePolicy = {
  maxTradeUsd: bigint | null
  maxDailyUsd: bigint | null
  /** The only tokens to sell or buy. */
  tokens: readonly Hex[] | null
  venues: readonly string[] | null
  chains: readonly number[] | null
}

/** What real trades are like here: the policy binds every account. */
export type TradingSettings = TradePolicy & {
  enabled: boolean
  /** May a caller leave the risk checks out. */
  skipRiskAllowed: boolean
  /** Address callers reach the gateway by, without a slash at its end. */
  publicUrl: string
}

/** What the store knows of a trade in the transaction that reserves its nonce, the trade itself not counted. */
export type PolicyFacts = {
  /**
   * USD in 1e-18 of trades that took their nonces after the moment asked for, those that failed or had no effect left
   * out: by the account, and from the wallet.
   */
  accountUsd: bigint
  walletUsd: bigint
  walletPolicy: TradePolicy | null
  halt: Halt | null
  /** Was the quote traded already. */
  quoteUsed: boolean
}

/** Binds a reservation to the execution it is for, and to the safeguards that must hold in the same transaction. */
export type TradeReservation = {
  executionId: string
  /** Is used by this reservation, and by no other. */
  quoteId: string
  at: Date
  /** After this moment the account's trades count. */
  since: Date
  /** Why the trade is forbidden, or null; what it throws is thrown, and nothing is reserved. */
  forbids(facts: PolicyFacts): string | null
}

/** Limits of single wallets, set by their owners. */
export interface WalletPolicies {
  find(wallet: Hex): Promise<TradePolicy | null>
  /** Replaces them, and writes them to the audit log with it. */
  set(wallet: Wallet, policy: TradePolicy): Promise<void>
}

/** A stop order for trading: everywhere, on a chain, or for a wallet. */
export type Halt = { scope: 'global' | 'chain' | 'wallet'; id: string }

/** What stops trading. Setting and lifting one is in the audit log, as the operator's. */
export interface Halts {
  set(halt: Halt, at: Date): Promise<void>
  clear(halt: Halt): Promise<void>
  /** The first halt that covers the trade, or null. */
  covering(chainId: number, wallet: Hex): Promise<Halt | null>
  list(): Promise<Halt[]>
}
