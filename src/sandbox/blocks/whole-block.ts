import type { Hex } from 'viem'

/** A transaction or receipt as the engine answers it. */
export type WireObject = Record<string, unknown>

/** A block as the engine answers it, with whole transactions, and the receipts in their order. */
export type WholeBlock = {
  block: WireObject & { number: Hex; hash: Hex; transactions: readonly WireObject[] }
  receipts: readonly WireObject[]
}

export type StoredTransaction = { block: number; transaction: WireObject; receipt: WireObject }

/** A log as the engine answers it. */
export type Log = WireObject & { address: Hex; topics: readonly Hex[]; transactionIndex: Hex }
