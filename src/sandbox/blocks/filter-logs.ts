import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Hex } from 'viem'
import { z } from 'zod'
import type { BlockStore } from './block-store.ts'
import type { Log } from './whole-block.ts'

type Filter = { addresses: readonly Hex[] | null; topics: readonly (readonly Hex[] | null)[] }

/** One more than the gateway's limit, so that it notices when there are too many. */
const maxLogs = 10_001
/** The event loop gets a turn after so many blocks. */
const blocksPerTurn = 25

const hex = z.templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]*$/)]).transform((text) => text.toLowerCase() as Hex)
const oneOrMore = z.union([hex.transform((one) => [one]), z.array(hex).max(1_000)])
const filterSchema = z.object({
  blockHash: hex.optional(),
  fromBlock: z.string().optional(),
  toBlock: z.string().optional(),
  address: oneOrMore.nullish(),
  topics: z.array(oneOrMore.nullable()).max(4).nullish(),
})

/**
 * The logs that match a filter, in order. Undefined for a filter that it does not understand, or where a block is not in
 * the store. `numberOf` gives the number of the stored block that a parameter names.
 */
export async function filterLogs(
  store: BlockStore,
  filter: unknown,
  numberOf: (id: unknown) => number | undefined,
): Promise<unknown> {
  const parsed = filterSchema.safeParse(filter)
  if (!parsed.success) return undefined
  const { blockHash, fromBlock, toBlock, address, topics } = parsed.data
  if (blockHash !== undefined && (fromBlock !== undefined || toBlock !== undefined)) return undefined
  const from = numberOf(blockHash ?? fromBlock ?? 'latest')
  // A block that is not mined yet has no logs.
  const to = numberOf(blockHash ?? toBlock ?? 'latest') ?? (isNumber(toBlock) ? store.last() : undefined)
  if (from === undefined || to === undefined || from > to) return undefined
  const wanted: Filter = {
    addresses: address && address.length > 0 ? address : null,
    topics: (topics ?? []).map((any) => (any && any.length > 0 ? any : null)),
  }
  return await matching(store, wanted, from, to)
}

async function matching(store: BlockStore, filter: Filter, from: number, to: number): Promise<Log[]> {
  const range = { from, to, addresses: filter.addresses, topics: filter.topics[0] ?? null }
  const found: Log[] = []
  for (const [at, number] of store.blocksWithLogs(range).entries()) {
    if (at % blocksPerTurn === blocksPerTurn - 1) await nextTurn()
    for (const log of store.logs(number)) if (matches(log, filter)) found.push(log)
    if (found.length >= maxLogs) break
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
