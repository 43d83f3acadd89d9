import type { Hex } from 'viem'

/** A transaction or receipt in the format of the engine. */
export type WireObject = Record<string, unknown>

/** A block in the format of the engine, with full transactions and the receipts in the same order. */
export type WholeBlock = {
  block: WireObject & { number: Hex; hash: Hex; transactions: readonly WireObject[] }
  receipts: readonly WireObject[]
}

export type StoredTransaction = { block: number; transaction: WireObject; receipt: WireObject }

/** A log in the format of the engine. */
export type Log = WireObject & { address: Hex; topics: readonly Hex[]; transactionIndex: Hex }
