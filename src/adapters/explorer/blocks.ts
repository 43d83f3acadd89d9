import { formatBlock, formatTransaction, type RpcBlock, type RpcTransaction } from 'viem'
import { DomainError } from '../../domain/core/errors.ts'
import { depositor } from '../../opstack/l1-attributes.ts'
import type { Ask } from './node.ts'
import type { Parties } from './parties.ts'

/** How many blocks and transactions are the newest ones. */
const newest = 20
/** Blocks that are looked through for them, on a chain whose blocks are mostly empty. */
const mostBlocks = 100

/** The newest blocks, and the newest transactions that somebody has sent, as far as a few blocks have them. */
export async function readNewest(ask: Ask, parties: Parties) {
  const head = await readBlock(ask, 'latest')
  if (head === null) throw new DomainError('UNAVAILABLE', 'The chain has no block yet; try again in a few seconds.')
  const blocks = [head, ...(await readDown(ask, head.number - 1n, newest - 1))]
  const transactions = await sentIn(ask, parties, blocks)
  for (let last = blocks.at(-1); last && transactions.length < newest && blocks.length < mostBlocks; ) {
    const older = await readDown(ask, last.number - 1n, newest)
    blocks.push(...older)
    transactions.push(...(await sentIn(ask, parties, older)))
    last = older.at(-1)
  }
  return { blocks: blocks.slice(0, newest), transactions: transactions.slice(0, newest) }
}

/** So many blocks from this number on, down to the first one. */
async function readDown(ask: Ask, from: bigint, count: number) {
  const numbers = Array.from({ length: count }, (_, index) => from - BigInt(index)).filter((number) => number >= 0n)
  const blocks = await Promise.all(numbers.map((number) => readBlock(ask, number)))
  return blocks.filter((block) => block !== null)
}

/** As many transactions of these blocks as there may be shown, or more, without the one by which a rollup's block begins. */
async function sentIn(ask: Ask, parties: Parties, blocks: Awaited<ReturnType<typeof readDown>>) {
  const hashes = blocks.flatMap(({ transactions }) => (transactions as string[]).toReversed()) // read as hashes
  const found = await Promise.all(
    hashes.slice(0, newest + blocks.length).map((hash) => ask('eth_getTransactionByHash', hash)),
  )
  return found.flatMap((one) => placedOf(one, parties))
}

/** A transaction of a block as lists over blocks show it; none where it is in no block, or is what a rollup's block begins with. */
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

/** By number, hash or tag; null where the chain has no such block, or it is not made yet. */
export async function readBlock(ask: Ask, id: bigint | string, full = false) {
  const byHash = typeof id === 'string' && id.length === 66
  const named = typeof id === 'bigint' ? `0x${id.toString(16)}` : id
  const found = await ask(byHash ? 'eth_getBlockByHash' : 'eth_getBlockByNumber', named, full)
  if (found === null) return null
  const raw = found as RpcBlock
  const { number, hash, parentHash, timestamp, gasUsed, gasLimit, baseFeePerGas, miner } = formatBlock(raw)
  if (number === null || hash === null) return null
  const facts = { number, hash, parentHash, gasUsed, gasLimit, baseFeePerGas: baseFeePerGas ?? null, miner }
  const { transactions } = raw
  return { ...facts, timestamp: new Date(Number(timestamp) * 1_000), transactions, count: transactions.length }
}
