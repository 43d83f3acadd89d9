import {
  type Address,
  type Hex,
  keccak256,
  parseTransaction,
  recoverTransactionAddress,
  type TransactionSerializable,
  type TransactionSerialized,
} from 'viem'
import { RpcError } from '../engine/rpc-error.ts'
import type { TransactionRecord } from './records.ts'

/** A signed transaction with who sent it, in lower case, at which of its nonces, and the most that it can cost, in wei. */
export type Signed = { hash: Hex; raw: Hex; from: Hex; nonce: number; cost: bigint }

/** A transaction without a block yet. */
export type Waiting = Signed & {
  /** The head that it came at. */
  since: number
  /** How often the engine was offered it again. */
  offers: number
  /** Whether the log has it. */
  logged: 'soon' | 'yes' | 'failed'
  /** The one with the same nonce that it takes the place of, until the log has it. */
  insteadOf: Waiting | undefined
}

/** The transactions that wait for a block, in the order they came. */
export type WaitingPool = {
  size: () => number
  all: () => Waiting[]
  get: (hash: Hex) => Waiting | undefined
  /** What waits of an account, by nonce. */
  of: (from: Hex) => ReadonlyMap<number, Waiting>
  /**
   * Throws the refusal of a transaction that there is no room for, as geth puts it. `nonceOf` tells the next nonce of
   * an account on the chain.
   */
  demandRoom: (transaction: Signed, nonceOf: (address: Hex) => Promise<number>) => Promise<void>
  /** Takes a transaction in, in the place of the one with the same nonce if there is one. */
  add: (transaction: Signed, since: number) => Waiting
  remove: (hash: Hex) => void
}

/** All that waits is offered to a fresh engine, and is in one file of the log. */
const most = { transactions: 2_000, bytes: 32 * 1_048_576 }

/**
 * As in geth: what waits for an earlier nonce is bounded for each account, and what can be mined only once many wait,
 * so that nobody fills the last half alone.
 */
const mostOfOne = { ahead: 64, crowded: 16 }

/** Makes an empty pool. */
export function createWaitingPool(): WaitingPool {
  const waiting = new Map<Hex, Waiting>()
  const accounts = new Map<Hex, Map<number, Waiting>>()
  let bytes = 0

  function remove(hash: Hex): void {
    const gone = waiting.get(hash)
    if (!gone) return
    waiting.delete(hash)
    bytes -= bytesOf(gone)
    const own = accounts.get(gone.from)
    own?.delete(gone.nonce)
    if (own?.size === 0) accounts.delete(gone.from)
  }

  return {
    size: () => waiting.size,
    all: () => [...waiting.values()],
    get: (hash) => waiting.get(hash),
    of: (from) => accounts.get(from) ?? new Map(),
    demandRoom: async ({ from, nonce }, nonceOf) => {
      if (bytes >= most.bytes) throw poolFull()
      const own = accounts.get(from)
      if (own?.has(nonce)) return
      if (waiting.size >= most.transactions) throw poolFull()
      if (!own || own.size < mostOfOne.crowded) return
      if (2 * waiting.size >= most.transactions || 2 * bytes >= most.bytes) throw accountFull()
      if (own.size < mostOfOne.ahead) return
      let next = await nonceOf(from)
      while (own.has(next)) next += 1
      if (nonce > next && [...own.keys()].filter((each) => each > next).length >= mostOfOne.ahead) throw accountFull()
    },
    add: (transaction, since) => {
      const own = accounts.get(transaction.from) ?? new Map<number, Waiting>()
      const insteadOf = own.get(transaction.nonce)
      if (insteadOf) remove(insteadOf.hash)
      const added: Waiting = { ...transaction, since, offers: 0, logged: 'soon', insteadOf }
      waiting.set(transaction.hash, added)
      accounts.set(transaction.from, own.set(transaction.nonce, added))
      bytes += bytesOf(added)
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

/** What a line of the block log tells of a transaction. */
export async function signedIn({ raw, from, nonce }: TransactionRecord): Promise<Signed> {
  const by = from ?? (await recoverTransactionAddress({ serializedTransaction: raw as TransactionSerialized }))
  return signed(raw, by, nonce ?? parseTransaction(raw).nonce ?? 0)
}

function bytesOf({ raw }: Waiting): number {
  return raw.length / 2
}

function poolFull(): RpcError {
  return new RpcError(-32003, 'txpool is full')
}

function accountFull(): RpcError {
  return new RpcError(-32003, 'account limit exceeded')
}
