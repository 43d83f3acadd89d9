import type { Head, Hex } from './chains.ts'
import type { Wallet } from './wallets.ts'

/** Limits of real trades; null is no limit. USD in 1e-18, addresses in any letter case. */
export type TradePolicy = {
  maxTradeUsd: bigint | null
  maxDailyUsd: bigint | null
  /** The only tokens that may be sold or bought. */
  tokens: readonly Hex[] | null
  venues: readonly string[] | null
  chains: readonly number[] | null
}

/** The operator's settings for real trades. The policy applies to every account. */
export type TradingSettings = TradePolicy &
  TradingTimes & {
    enabled: boolean
    /** True where a caller may skip the risk checks. */
    skipRiskAllowed: boolean
    /** The most wei for a unit of gas that a transaction may offer; null: ten times its first offer is the only limit. */
    maxFeePerGas: bigint | null
    /** The gateway's URL for callers, without a slash at its end. */
    publicUrl: string
  }

/** How long trading waits, in milliseconds. Part of the contract, so no operator sets them. */
export type TradingTimes = {
  /** From a quote until it can no longer be traded. */
  quoteLifetimeMs: number
  /** The longest wait for the block of a trade before the answer is `pending`. */
  timeoutMs: number
  /** The longest wait of a call that needs a wallet's money for its starting money: a few blocks. */
  fundingTimeoutMs: number
}

/**
 * What a policy is checked against, read in the transaction that reserves the nonce. The trade itself is not counted.
 */
export type PolicyFacts = {
  /**
   * USD in 1e-18 of trades whose nonces were reserved after the requested time, without those that failed or had no
   * effect: of the account, of the wallet, and of the session that requests this one.
   */
  accountUsd: bigint
  walletUsd: bigint
  sessionUsd: bigint
  walletPolicy: TradePolicy | null
  halt: Halt | null
  /** True where the quote was traded already. */
  quoteUsed: boolean
}

/** The trade of a reservation, and the safeguards that are checked in the same transaction. */
export type TradeReservation = {
  executionId: string
  /** This reservation uses the quote, which no other trade can use then. */
  quoteId: string
  /** What the trade says once it is reserved. */
  message: string
  at: Date
  /** Trades of the account after this moment are counted. */
  since: Date
  /** Returns why the trade is forbidden, or null. Where it throws, nothing is reserved. */
  forbids(facts: PolicyFacts): string | null
}

/** Trade policies of single wallets, set by their owners. */
export interface WalletPolicies {
  find(wallet: Hex): Promise<TradePolicy | null>
  /** Replaces the limits, and writes them to the audit log in the same transaction. */
  set(wallet: Wallet, policy: TradePolicy): Promise<void>
}

/**
 * A stop order for trading: everywhere, on a chain, or for a wallet. `reason` is a sentence that says why the gateway
 * itself set it; absent where an operator did.
 */
export type Halt = { scope: 'global' | 'chain' | 'wallet'; id: string; reason?: string }

/** The stop orders. Setting and lifting one is written to the audit log of the operator. */
export interface Halts {
  set(halt: Halt, at: Date): Promise<void>
  clear(halt: Halt): Promise<void>
  /** The first halt that covers the trade, or null. */
  covering(chainId: number, wallet: Hex): Promise<Halt | null>
  /** The halts in force, the oldest first. */
  list(): Promise<(Halt & { createdAt: Date })[]>
}

/** The part of the halts that anyone may read. It can set none, so the tools of the assistant may have it. */
export interface ChainHalts {
  /** The halts of everything and of single chains, without those of wallets. */
  list(): Promise<Halt[]>
}

/** A block with trades of the gateway that was taken as final. */
export type FinalBlock = Pick<Head, 'number' | 'hash'>

/** For each chain the newest block with trades that was taken as final, across restarts. */
export interface FinalBlocks {
  newest(chainId: number): Promise<FinalBlock | null>
  /** Stores the block where none as new is stored. */
  note(chainId: number, block: FinalBlock): Promise<void>
  /**
   * Halts trading on the chain for this reason, writes it to the audit log of the operator, and forgets the block where it is
   * the newest one. `remembered` says that it was. False where that was done already.
   */
  halt(lost: { chainId: number; block: FinalBlock; remembered: boolean; reason: string; at: Date }): Promise<boolean>
}
