import { formatBlock, formatTransaction, type RpcBlock, type RpcTransaction } from 'viem'
import { DomainError } from '../../domain/errors.ts'
import type { Ask } from './node.ts'
import type { Parties } from './parties.ts'

/** How many blocks and transactions are the newest ones. */
const newest = 20
/** Blocks that are looked through for them, on a chain whose blocks are mostly empty. */
const mostBlocks = 100

/** The newest blocks and the newest transactions, as far as a few blocks have them. */
export async function readNewest(ask: Ask, parties: Parties) {
  const head = await readBlock(ask, 'latest')
  if (head === null) throw new DomainError('UNAVAILABLE', 'The chain has no block yet; try again in a few seconds.')
  const blocks = [head]
  const hashes = () => blocks.flatMap(({ transactions }) => (transactions as string[]).toReversed()) // read as hashes
  for (let below = head.number - 1n; below >= 0n && blocks.length < mostBlocks; below -= BigInt(newest)) {
    const numbers = Array.from({ length: newest }, (_, index) => below - BigInt(index)).filter((number) => number >= 0n)
    const older = await Promise.all(numbers.map((number) => readBlock(ask, number)))
    blocks.push(...older.filter((block) => block !== null))
    if (hashes().length >= newest) break
  }
  const sent = await Promise.all(
    hashes()
      .slice(0, newest)
      .map((hash) => ask('eth_getTransactionByHash', hash)),
  )
  const transactions = sent.flatMap((one) => {
    const blockNumber = one === null ? null : formatTransaction(one as RpcTransaction).blockNumber
    return blockNumber === null ? [] : [{ ...sentOf(one, parties), blockNumber }]
  })
  return { blocks: blocks.slice(0, newest), transactions }
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
