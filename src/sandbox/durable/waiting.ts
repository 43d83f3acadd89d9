import {
  type Address,
  type Hex,
  keccak256,
  parseTransaction,
  recoverTransactionAddress,
  type TransactionSerializable,
  type TransactionSerialized,
} from 'viem'
import type { DropRecord, TransactionRecord } from './records.ts'

/** A signed transaction with who sent it, in lower case, at which of its nonces, and the most that it can cost, in wei. */
export type Signed = { hash: Hex; raw: Hex; from: Hex; nonce: number; cost: bigint }

/** A transaction without a block yet. */
export type Waiting = Signed & {
  /** The head that it came at. */
  since: number
  /** How often the engine was offered it again. */
  offers: number
  /** The head from which on it may be offered again. */
  nextOffer: number
  /** Whether it waits for an earlier nonce, as far as is known. */
  gapped: boolean
  /** Whether the log has it. */
  logged: 'soon' | 'yes' | 'failed'
  /** The one with the same nonce that it takes the place of, until the log has it. */
  insteadOf: Waiting | undefined
  /** Those that had to go for the room that it takes, until the log has it. */
  pushedOut: readonly Waiting[]
}

/** The transactions that wait for a block, in the order they came. */
export type WaitingPool = {
  size: () => number
  all: () => Waiting[]
  get: (hash: Hex) => Waiting | undefined
  /** What waits of an account, by nonce. */
  of: (from: Hex) => ReadonlyMap<number, Waiting>
  /** Takes a transaction in, in the place of the one with the same nonce if there is one. */
  add: (transaction: Signed, since: number) => Waiting
  remove: (hash: Hex) => void
}

/** Makes an empty pool. */
export function createWaitingPool(): WaitingPool {
  const waiting = new Map<Hex, Waiting>()
  const accounts = new Map<Hex, Map<number, Waiting>>()

  function remove(hash: Hex): void {
    const gone = waiting.get(hash)
    if (!gone) return
    waiting.delete(hash)
    const own = accounts.get(gone.from)
    own?.delete(gone.nonce)
    if (own?.size === 0) accounts.delete(gone.from)
  }

  return {
    size: () => waiting.size,
    all: () => [...waiting.values()],
    get: (hash) => waiting.get(hash),
    of: (from) => accounts.get(from) ?? new Map(),
    add: (transaction, since) => {
      const own = accounts.get(transaction.from) ?? new Map<number, Waiting>()
      const insteadOf = own.get(transaction.nonce)
      if (insteadOf) remove(insteadOf.hash)
      const added: Waiting = {
        ...transaction,
        since,
        offers: 0,
        nextOffer: since,
        gapped: false,
        logged: 'soon',
        insteadOf,
        pushedOut: [],
      }
      waiting.set(transaction.hash, added)
      accounts.set(transaction.from, own.set(transaction.nonce, added))
      return added
    },
    remove,
  }
}

/** A transaction with the account that has signed it at a nonce. */
export function signed(raw: Hex, by: Address, nonce: number, cost = costOf(parseTransaction(raw))): Signed {
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

/** Has the log a transaction; only what it has is accepted. */
export function isLogged({ logged }: Waiting): boolean {
  return logged === 'yes'
}

/** The line of the block log by which a transaction is accepted. */
export function recordOf({ hash, raw, from, nonce }: Signed): TransactionRecord {
  return { type: 'transaction', hash, raw, from, nonce }
}

/** The line of the block log by which an accepted transaction waits no longer. */
export function dropRecordOf({ hash }: Signed): DropRecord {
  return { type: 'drop', hash }
}

/** What a line of the block log tells of a transaction. */
export async function signedIn({ raw, from, nonce }: TransactionRecord): Promise<Signed> {
  const by = from ?? (await recoverTransactionAddress({ serializedTransaction: raw as TransactionSerialized }))
  return signed(raw, by, nonce ?? parseTransaction(raw).nonce ?? 0)
}

/** The length of a transaction. */
export function bytesOf({ raw }: Signed): number {
  return raw.length / 2
}
