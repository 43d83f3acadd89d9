import type { Hex } from 'viem'
import type { Chain } from '../durable/chain.ts'
import type { ParentLog } from './deposits.ts'
import type { Heads } from './heads.ts'
import type { Ledger } from './ledger.ts'
import type { Leg } from './transfer.ts'

type Readable = Pick<Chain, 'head' | 'read'>

/** Where the facts of a transfer are found. */
export type BridgeChains = {
  parent: Readable
  rollup: Readable
  ledger: Ledger
  heads: () => Heads
  pace: { parentBlock: number; rollupBlock: number; maturity: number }
}

type Log = ParentLog & { address: Hex }

/** A transaction with what came of it; `block` is null while it waits. */
export type ChainTransaction = {
  hash: Hex
  from: Hex
  to: Hex | null
  value: bigint
  input: Hex
  block: Leg['block']
  logs: readonly Log[]
}

type WireTransaction = {
  from: Hex
  to: Hex | null
  value: Hex
  input: Hex
  blockNumber: Hex | null
  blockTimestamp: Hex
}

/** Reads a transaction from a chain, or null where the chain does not know it. */
export async function readTransaction(chain: Readable, hash: Hex): Promise<ChainTransaction | null> {
  const transaction = (await chain.read('eth_getTransactionByHash', [hash])) as WireTransaction | null
  if (!transaction) return null
  const { from, to, value, input, blockNumber, blockTimestamp } = transaction
  const found = { hash, from, to, value: BigInt(value), input }
  if (blockNumber === null) return { ...found, block: null, logs: [] }
  const receipt = (await chain.read('eth_getTransactionReceipt', [hash])) as { status: Hex; logs: Log[] }
  const number = Number(blockNumber)
  const block = {
    number,
    timestamp: new Date(Number(blockTimestamp) * 1000),
    confirmations: Math.max(chain.head().number - number + 1, 1),
    succeeded: receipt.status === '0x1',
  }
  return { ...found, block, logs: receipt.logs }
}

/** The transaction as a leg of a transfer. */
export function legOf({ hash, block }: ChainTransaction): Leg {
  return { hash, block }
}
