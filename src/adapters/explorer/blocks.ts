import { formatBlock, formatTransaction, type RpcBlock, type RpcTransaction } from 'viem'
import { DomainError } from '../../domain/core/errors.ts'
import { quantityOf } from '../../kit/hex.ts'
import { depositor } from '../../opstack/l1-attributes.ts'
import type { CallNode } from './node.ts'
import type { Parties } from './parties.ts'

/** How many of the newest blocks and transactions are shown. */
const newest = 20
/** How many blocks are searched for transactions, because most blocks may be empty. */
const mostBlocks = 100

/** The newest blocks, and the newest transactions of users in the last few blocks. */
export async function readNewest(callNode: CallNode, parties: Parties) {
  const head = await readBlock(callNode, 'latest')
  if (head === null) throw new DomainError('UNAVAILABLE', 'The chain has no block yet. Try again in a few seconds.')
  const blocks = [head, ...(await readDown(callNode, head.number - 1n, newest - 1))]
  const transactions = await sentIn(callNode, parties, blocks)
  for (let last = blocks.at(-1); last && transactions.length < newest && blocks.length < mostBlocks; ) {
    const older = await readDown(callNode, last.number - 1n, newest)
    blocks.push(...older)
    transactions.push(...(await sentIn(callNode, parties, older)))
    last = older.at(-1)
  }
  return { blocks: blocks.slice(0, newest), transactions: transactions.slice(0, newest) }
}

/** Reads `count` blocks downwards from this number. */
async function readDown(callNode: CallNode, from: bigint, count: number) {
  const numbers = Array.from({ length: count }, (_, index) => from - BigInt(index)).filter((number) => number >= 0n)
  const blocks = await Promise.all(numbers.map((number) => readBlock(callNode, number)))
  return blocks.filter((block) => block !== null)
}

/**
 * Transactions of these blocks up to about the number shown, without the L1-attributes deposit that begins a rollup's
 * block.
 */
async function sentIn(callNode: CallNode, parties: Parties, blocks: Awaited<ReturnType<typeof readDown>>) {
  const hashes = blocks.flatMap(({ transactions }) => (transactions as string[]).toReversed()) // the block was read with hashes only
  const found = await Promise.all(
    hashes.slice(0, newest + blocks.length).map((hash) => callNode('eth_getTransactionByHash', hash)),
  )
  return found.flatMap((one) => placedOf(one, parties))
}

/**
 * A transaction as lists of blocks show it; null for a pending one, and for the L1-attributes deposit of a rollup's
 * block.
 */
export function placedOf(transaction: unknown, parties: Parties) {
  if (transaction === null) return []
  const { blockNumber, from } = formatTransaction(transaction as RpcTransaction)
  return blockNumber === null || from === depositor ? [] : [{ ...sentOf(transaction, parties), blockNumber }]
}

/** A transaction as lists show it. */
export function sentOf(transaction: unknown, parties: Parties) {
  const { hash, from, to, value } = formatTransaction(transaction as RpcTransaction)
  return { hash, from: parties.party(from), to: to === null ? null : parties.party(to), valueWei: value }
}

/** What the chain says of a block: `final` includes `safe`. */
type Mark = 'safe' | 'final' | null

/** Creates a reader of marks for one page, from the numbers of the safe and the finalized block. */
export async function readMarks(callNode: CallNode): Promise<(number: bigint | null) => Mark> {
  const [safe, final] = await Promise.all(['safe', 'finalized'].map((tag) => numberOf(callNode, tag)))
  return (number) => {
    if (number === null) return null
    if (final != null && number <= final) return 'final'
    return safe != null && number <= safe ? 'safe' : null
  }
}

/** Null where the node does not know the tag. */
async function numberOf(callNode: CallNode, tag: string): Promise<bigint | null> {
  const block = await readBlock(callNode, tag).catch(() => null)
  return block?.number ?? null
}

/** A block with its mark, and whether another follows it. A block that left the chain has neither. */
export async function readPlacedBlock(callNode: CallNode, id: bigint | string) {
  const [block, head, markOf] = await Promise.all([
    readBlock(callNode, id, true),
    readBlock(callNode, 'latest'),
    readMarks(callNode),
  ])
  if (block === null) return null
  const isByHash = typeof id === 'string' && id.length === 66
  const isOnChain = !isByHash || (await readBlock(callNode, block.number))?.hash === block.hash
  const hasNext = isOnChain && head !== null && head.number > block.number
  return { ...block, mark: isOnChain ? markOf(block.number) : null, hasNext }
}

/** Reads a block by number, hash or tag; null where it does not exist. */
export async function readBlock(callNode: CallNode, id: bigint | string, full = false) {
  const byHash = typeof id === 'string' && id.length === 66
  const named = typeof id === 'bigint' ? quantityOf(id) : id
  const found = await callNode(byHash ? 'eth_getBlockByHash' : 'eth_getBlockByNumber', named, full)
  if (found === null) return null
  const raw = found as RpcBlock
  const { number, hash, parentHash, timestamp, gasUsed, gasLimit, baseFeePerGas, miner } = formatBlock(raw)
  if (number === null || hash === null) return null
  const facts = { number, hash, parentHash, gasUsed, gasLimit, baseFeePerGas: baseFeePerGas ?? null, miner }
  const { transactions } = raw
  return { ...facts, timestamp: new Date(Number(timestamp) * 1_000), transactions, count: transactions.length }
}
