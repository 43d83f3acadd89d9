import type { Address } from 'viem'
import { placedOf, readBlock } from './blocks.ts'
import type { CallNode } from './node.ts'
import type { Parties } from './parties.ts'

/** How many transactions are shown, and how many blocks are searched: nodes have no index by address. */
const most = { shown: 20, blocks: 500n, transactions: 2_000 }
/** Blocks that are read concurrently. */
const together = 20n

/** The newest transactions from or to an address, newest first, and the lowest block that was searched. */
export async function readHistory(callNode: CallNode, parties: Parties, address: Address, head: bigint) {
  const found: ReturnType<typeof placedOf> = []
  let since = head + 1n
  let looked = 0
  while (since > 0n && head - since < most.blocks && looked < most.transactions && found.length < most.shown) {
    const from = since > together ? since - together : 0n
    const numbers = Array.from({ length: Number(since - from) }, (_, index) => since - 1n - BigInt(index))
    const blocks = await Promise.all(numbers.map((number) => readBlock(callNode, number, true)))
    const transactions = blocks.flatMap((block) => (block?.transactions as Ends[] | undefined)?.toReversed() ?? [])
    const own = transactions.filter((one) => isOf(address, one))
    found.push(...own.flatMap((one) => placedOf(one, parties)))
    looked += transactions.length
    since = from
  }
  return { lookedSince: since, transactions: found.slice(0, most.shown) }
}

type Ends = { from: string; to: string | null }

function isOf(address: Address, { from, to }: Ends): boolean {
  return from.toLowerCase() === address || to?.toLowerCase() === address
}
