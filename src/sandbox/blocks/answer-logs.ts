import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Hex } from 'viem'
import { z } from 'zod'
import type { BlockStore } from './block-store.ts'
import type { Log } from './whole-block.ts'

type Filter = { addresses: readonly Hex[] | null; topics: readonly (readonly Hex[] | null)[] }

/** One more than anybody is answered, so that they learn that there are too many. */
const mostLogs = 10_001
/** How many blocks are gone through before others get their turn. */
const blocksATurn = 25

const hex = z.templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]*$/)]).transform((text) => text.toLowerCase() as Hex)
const oneOrMore = z.union([hex.transform((one) => [one]), z.array(hex).max(1_000)])
const asked = z.object({
  blockHash: hex.optional(),
  fromBlock: z.string().optional(),
  toBlock: z.string().optional(),
  address: oneOrMore.nullish(),
  topics: z.array(oneOrMore.nullable()).max(4).nullish(),
})

/** The logs of a filter, in order; undefined for what it does not understand, or a block that is not in the store. */
export async function logs(
  store: BlockStore,
  given: unknown,
  numbered: (id: unknown) => number | undefined,
): Promise<unknown> {
  const parsed = asked.safeParse(given)
  if (!parsed.success) return undefined
  const { blockHash, fromBlock, toBlock, address, topics } = parsed.data
  if (blockHash !== undefined && (fromBlock !== undefined || toBlock !== undefined)) return undefined
  const from = numbered(blockHash ?? fromBlock ?? 'latest')
  // What is not sealed yet has no logs.
  const to = numbered(blockHash ?? toBlock ?? 'latest') ?? (isNumber(toBlock) ? store.last() : undefined)
  if (from === undefined || to === undefined || from > to) return undefined
  const filter: Filter = {
    addresses: address && address.length > 0 ? address : null,
    topics: (topics ?? []).map((any) => (any && any.length > 0 ? any : null)),
  }
  return await matching(store, filter, from, to)
}

async function matching(store: BlockStore, filter: Filter, from: number, to: number): Promise<Log[]> {
  const places = { from, to, addresses: filter.addresses, topics: filter.topics[0] ?? null }
  const found: Log[] = []
  for (const [turn, number] of store.placed(places).entries()) {
    if (turn % blocksATurn === blocksATurn - 1) await nextTurn()
    for (const log of store.logs(number)) if (matches(log, filter)) found.push(log)
    if (found.length >= mostLogs) break
  }
  return found
}

function matches({ address, topics }: Log, filter: Filter): boolean {
  if (filter.addresses && !filter.addresses.includes(address)) return false
  return filter.topics.every((any, position) => {
    const topic = topics[position]
    return topic !== undefined && (any === null || any.includes(topic))
  })
}

function isNumber(id: string | undefined): boolean {
  return id?.startsWith('0x') === true && id.length < 66
}
