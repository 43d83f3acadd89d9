import { DomainError } from '../../domain/core/errors.ts'
import { isQuantity, quantityOf } from '../../kit/hex.ts'
import { tooLongIn, widthNamed } from './errors/log-limits.ts'
import type { Request } from './upstream.ts'

/** Most parts in which the range of one call is read, unless the call says otherwise. */
const mostParts = 100
/** Parts that are read at a time. */
const concurrent = 4
/** A wider range than the one that works is tried again after this time. */
const growMs = 600_000

/** How many blocks of logs the nodes of a chain give at once, as far as they have refused more. */
export type LogWidth = {
  /** The blocks to ask for at once; null while nothing was refused. */
  now(): bigint | null
  /** The nodes refused more than these. */
  narrowed(blocks: bigint): void
}

/** Remembers the width that works, and lets it double every ten minutes. `clock` is in milliseconds. */
export function logWidth(clock: () => number = Date.now): LogWidth {
  let known: { blocks: bigint; growsAt: number } | null = null
  return {
    now() {
      if (known !== null && clock() >= known.growsAt) known = { blocks: known.blocks * 2n, growsAt: clock() + growMs }
      return known?.blocks ?? null
    },
    narrowed(blocks) {
      known = { blocks, growsAt: clock() + growMs }
    },
  }
}

type Filter = { fromBlock?: unknown; toBlock?: unknown; blockHash?: unknown }
type Range = { from: bigint; to: bigint }
type Logs = readonly unknown[]

/**
 * Wraps a function that calls nodes: a range of logs that they refuse for its length is read in parts, down to one block.
 * The logs are then of one chain: UNAVAILABLE where it was reorganised in between. LIMIT_EXCEEDED where it takes too many
 * parts; `metadata.limit` is the number of blocks that can be read.
 */
export function inLogRanges(request: Request, width: LogWidth): Request {
  return async (method, params, signal, given = {}) => {
    const { parts = mostParts, ...options } = given
    const read = async (name: string, ...values: unknown[]) => await request(name, values, signal, options)
    const filter = (params[0] ?? {}) as Filter
    const mayPart = method === 'eth_getLogs' && filter.blockHash === undefined
    if (!mayPart) return await request(method, params, signal, options)
    const known = width.now()
    const range = known === null ? null : await rangeOf(read, filter)
    if (known === null || range === null || range.to - range.from < known) {
      try {
        return await request(method, params, signal, options)
      } catch (failure) {
        if (tooLongIn(failure) === null) throw failure
        const refused = await rangeOf(read, filter)
        if (refused === null || refused.to <= refused.from) throw failure
        return await readParts({ read, filter, width, parts }, refused, failure)
      }
    }
    return await readParts({ read, filter, width, parts }, range, null)
  }
}

type Read = (method: string, ...params: unknown[]) => Promise<unknown>
type Parting = { read: Read; filter: Filter; width: LogWidth; parts: number }

/** Reads a range in parts. `refusal` is that of the whole range, null where it was not asked for as a whole. */
async function readParts(parting: Parting, range: Range, refusal: unknown): Promise<Logs> {
  const { read, parts } = parting
  const last = quantityOf(range.to)
  const hashNow = async () => ((await read('eth_getBlockByNumber', last, false)) as { hash?: string } | null)?.hash
  const before = await hashNow()
  const found: Logs[] = []
  let blocks = refusal === null ? sizeOf(range) : narrower(parting, sizeOf(range), refusal)
  const known = parting.width.now()
  if (known !== null && known < blocks) blocks = known
  let left = parts
  for (let from = range.from; from <= range.to; ) {
    if ((range.to - from) / blocks >= BigInt(left)) throw tooManyParts(blocks, parts)
    // The first part shows whether the width works.
    const count = from === range.from ? 1 : concurrent
    const batch = partsOf({ from, to: range.to }, blocks, count)
    const answers = await Promise.all(batch.map((part) => readPart(parting, part)))
    for (const [index, answer] of answers.entries()) {
      const part = batch[index] as Range
      if ('refusal' in answer) {
        if (part.from === part.to) throw answer.refusal
        blocks = narrower(parting, sizeOf(part), answer.refusal)
        break
      }
      left -= 1
      found.push(answer.logs)
      from = part.to + 1n
    }
  }
  if ((await hashNow()) === before) return found.flat()
  throw new DomainError('UNAVAILABLE', 'The chain was reorganised while its logs were read. Try again.')
}

async function readPart(
  { read, filter }: Parting,
  { from, to }: Range,
): Promise<{ logs: Logs } | { refusal: unknown }> {
  try {
    const bounds = { fromBlock: quantityOf(from), toBlock: quantityOf(to) }
    return { logs: (await read('eth_getLogs', { ...filter, ...bounds })) as Logs }
  } catch (refusal) {
    if (tooLongIn(refusal) === null) throw refusal
    return { refusal }
  }
}

/** How many blocks to ask for next. It is remembered where the nodes refused the number of blocks, not what is in them. */
function narrower({ width }: Parting, asked: bigint, refusal: unknown): bigint {
  const { words = '', kind = 'width' } = tooLongIn(refusal) ?? {}
  const blocks = (kind === 'width' ? widthNamed(words, asked) : null) ?? (asked > 1n ? asked / 2n : 1n)
  if (kind === 'width') width.narrowed(blocks)
  return blocks
}

function partsOf({ from, to }: Range, blocks: bigint, most: number): Range[] {
  const starts = Array.from({ length: most }, (_, index) => from + BigInt(index) * blocks)
  return starts
    .filter((start) => start <= to)
    .map((start) => ({ from: start, to: start + blocks - 1n < to ? start + blocks - 1n : to }))
}

function sizeOf({ from, to }: Range): bigint {
  return to - from + 1n
}

function tooManyParts(blocks: bigint, parts: number): DomainError {
  const limit = String(blocks * BigInt(parts))
  const message = `The nodes of this chain give the logs of ${blocks} blocks at once. Ask for ${limit} blocks at most, and read longer ranges in parts.`
  return new DomainError('LIMIT_EXCEEDED', message, { metadata: { limit } })
}

/** The numbers of the blocks that a filter names; null where a tag names no block. */
async function rangeOf(read: Read, { fromBlock, toBlock }: Filter): Promise<Range | null> {
  const [from, to] = await Promise.all([numberOf(read, fromBlock), numberOf(read, toBlock)])
  return from === null || to === null ? null : { from, to }
}

async function numberOf(read: Read, block: unknown): Promise<bigint | null> {
  if (isQuantity(block)) return BigInt(block)
  if (block === 'earliest') return 0n
  if (block !== 'safe' && block !== 'finalized') return BigInt(String(await read('eth_blockNumber')))
  const found = (await read('eth_getBlockByNumber', block, false)) as { number: string } | null
  return found === null ? null : BigInt(found.number)
}
