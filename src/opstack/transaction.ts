import type { Hex } from 'viem'
import type { BridgeLeg } from '../domain/ports/bridge.ts'
import type { BridgeChain } from './chain.ts'
import type { ParentLog } from './deposits.ts'
import { lower } from './messages.ts'
import { isStranded } from './messenger.ts'

/** A transaction and its result; `block` is null while it is pending. */
export type ChainTransaction = {
  hash: Hex
  type: Hex
  from: Hex
  to: Hex | null
  /** The contract that it created. */
  created: Hex | null
  value: bigint
  input: Hex
  block: BridgeLeg['block']
  logs: readonly (ParentLog & { address: Hex })[]
}

type WireTransaction = Record<'type' | 'from' | 'value' | 'input', Hex> & { to?: Hex | null; blockNumber: Hex | null }

type WireReceipt = { status: Hex; contractAddress?: Hex | null; logs: ChainTransaction['logs'] }

/** Reads a transaction from a chain, or null where the chain does not know it. */
export async function readTransaction(chain: BridgeChain, hash: Hex): Promise<ChainTransaction | null> {
  const known = chain.transactions?.get(hash) as Promise<ChainTransaction | null> | undefined
  const read = known ?? readNow(chain, hash)
  chain.transactions?.set(hash, read)
  return await read
}

async function readNow(chain: BridgeChain, hash: Hex): Promise<ChainTransaction | null> {
  const transaction = (await chain.read('eth_getTransactionByHash', [hash])) as WireTransaction | null
  if (!transaction) return null
  const { type, from, to, value, input, blockNumber } = transaction
  const found = { hash, type, from, to: to ? lower(to) : null, created: null, value: BigInt(value), input }
  const receipt =
    blockNumber === null ? null : ((await chain.read('eth_getTransactionReceipt', [hash])) as WireReceipt | null)
  // A reorganisation between the two reads may have removed it.
  if (blockNumber === null || receipt === null) return { ...found, block: null, logs: [] }
  const block = await blockAt(chain, Number(blockNumber))
  const logs = receipt.logs.map((log) => ({ ...log, address: lower(log.address) }))
  const succeeded = receipt.status === '0x1'
  const created = !to && succeeded && receipt.contractAddress ? lower(receipt.contractAddress) : null
  return { ...found, created, block: block && { ...block, succeeded }, logs }
}

/** A block's number, time and confirmations (1 for the newest block); null where there is none. */
async function blockAt(chain: BridgeChain, number: number) {
  const [block, head] = await Promise.all([readBlock(chain, `0x${number.toString(16)}`), readBlock(chain, 'latest')])
  if (!block || !head) return null
  const timestamp = new Date(block.timestamp * 1000)
  return { number, timestamp, confirmations: Math.max(head.number - number + 1, 1) }
}

/** Number, time in seconds and hash of a block by number or tag; null where there is none. */
export async function readBlock(
  chain: BridgeChain,
  block: Hex | 'latest' | 'safe',
): Promise<{ number: number; timestamp: number; hash: Hex } | null> {
  const found = (await chain.read('eth_getBlockByNumber', [block, false])) as Record<string, Hex> | null
  if (!found?.hash) return null
  return { number: Number(found.number), timestamp: Number(found.timestamp), hash: found.hash }
}

/** The transaction as a leg of a transfer. `called` is the contract that it called, which may be a messenger. */
export function legOf({ hash, block, logs }: ChainTransaction, called: Hex | null = null): BridgeLeg {
  const stranded = called !== null && isStranded(called, logs)
  return { hash, block: block && { ...block, ...(stranded && { stranded: true as const }) } }
}
