import {
  type Address,
  type Hex,
  keccak256,
  recoverTransactionAddress,
  type TransactionSerializable,
  type TransactionSerialized,
} from 'viem'
import type { DropRecord, TransactionRecord } from '../log/records.ts'
import { parseSigned } from './parse-signed.ts'

/** A signed transaction. `from` is in lower case; `cost` is the most that it can cost its sender, in wei. */
export type Signed = { hash: Hex; raw: Hex; from: Hex; nonce: number; cost: bigint }

/** A transaction that no block contains yet. */
export type PendingTransaction = Signed & {
  /** Number of the head block when the transaction arrived. */
  since: number
  /** How often it was resubmitted to the engine. */
  attempts: number
  /** The head block number from which on it may be resubmitted. */
  nextAttempt: number
  /** Whether an earlier nonce of its sender is missing, as far as is known. */
  gapped: boolean
  /** Whether the block log contains it. */
  logged: 'soon' | 'yes' | 'failed'
  /** The transaction with the same nonce that it replaces; undefined once the log contains the replacement. */
  replaces: PendingTransaction | undefined
  /** The transactions removed to make room for it; empty once the log contains it. */
  evicted: readonly PendingTransaction[]
}

/** The pending transactions of a chain in the order of arrival. */
export type PendingPool = {
  size: () => number
  all: () => PendingTransaction[]
  get: (hash: Hex) => PendingTransaction | undefined
  /** The pending transactions of an account, by nonce. */
  of: (from: Hex) => ReadonlyMap<number, PendingTransaction>
  /** Adds a transaction. One with the same sender and nonce is replaced. */
  add: (transaction: Signed, since: number) => PendingTransaction
  remove: (hash: Hex) => void
}

/** Creates an empty pool. */
export function createPendingPool(): PendingPool {
  const pending = new Map<Hex, PendingTransaction>()
  const accounts = new Map<Hex, Map<number, PendingTransaction>>()

  function remove(hash: Hex): void {
    const removed = pending.get(hash)
    if (!removed) return
    pending.delete(hash)
    const own = accounts.get(removed.from)
    own?.delete(removed.nonce)
    if (own?.size === 0) accounts.delete(removed.from)
  }

  return {
    size: () => pending.size,
    all: () => [...pending.values()],
    get: (hash) => pending.get(hash),
    of: (from) => accounts.get(from) ?? new Map(),
    add: (transaction, since) => {
      const own = accounts.get(transaction.from) ?? new Map<number, PendingTransaction>()
      const replaces = own.get(transaction.nonce)
      if (replaces) remove(replaces.hash)
      const added: PendingTransaction = {
        ...transaction,
        since,
        attempts: 0,
        nextAttempt: since,
        gapped: false,
        logged: 'soon',
        replaces,
        evicted: [],
      }
      pending.set(transaction.hash, added)
      accounts.set(transaction.from, own.set(transaction.nonce, added))
      return added
    },
    remove,
  }
}

/** A raw transaction with the sender and nonce that the caller has already read from it. */
export function signed(raw: Hex, by: Address, nonce: number, cost = costOf(parseSigned(raw).fields())): Signed {
  return { hash: keccak256(raw), raw, from: by.toLowerCase() as Hex, nonce, cost }
}

/** The most that a transaction can cost its sender, in wei. */
export function costOf({
  gas = 0n,
  gasPrice = 0n,
  maxFeePerGas = gasPrice,
  value = 0n,
}: TransactionSerializable): bigint {
  return gas * maxFeePerGas + value
}

/** Whether the block log contains a transaction. Only then is it accepted. */
export function isLogged({ logged }: PendingTransaction): boolean {
  return logged === 'yes'
}

/** The record by which the block log accepts a transaction. */
export function transactionRecord({ hash, raw, from, nonce }: Signed): TransactionRecord {
  return { type: 'transaction', hash, raw, from, nonce }
}

/** The record by which the block log drops an accepted transaction. */
export function dropRecord({ hash }: Signed): DropRecord {
  return { type: 'drop', hash }
}

/** Reads a transaction from its record in the block log. */
export async function signedFromRecord({ raw, from, nonce }: TransactionRecord): Promise<Signed> {
  const by = from ?? (await recoverTransactionAddress({ serializedTransaction: raw as TransactionSerialized }))
  return signed(raw, by, nonce ?? Number(parseSigned(raw).nonce))
}

/** The approximate size of a transaction in bytes. */
export function sizeOf({ raw }: Signed): number {
  return raw.length / 2
}
