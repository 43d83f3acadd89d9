import type { Hex } from 'viem'
import { z } from 'zod'

/** The newest block, as far as others need it. */
export type Head = { number: number; hash: Hex; parentHash: Hex; timestamp: number; stateRoot: Hex }

const hex = z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]*$/)])

/**
 * A transaction that the parent chain orders; without `parentTransaction` the rollup orders it itself. Its hash follows
 * from the rest; `to` is null where it creates a contract.
 */
const deposit = z.object({
  hash: hex,
  sourceHash: hex,
  from: hex,
  to: hex.nullable(),
  mint: hex,
  value: hex,
  gas: hex,
  data: hex,
  parentTransaction: hex.nullable(),
})

/** A log may be older than what tells the sender and its nonce without a look at `raw`. */
const transaction = z.object({
  type: z.literal('transaction'),
  hash: hex,
  raw: hex,
  from: hex.optional(),
  nonce: z.number().optional(),
})

/** A transaction that waits no longer, though no block has it. */
const drop = z.object({ type: z.literal('drop'), hash: hex })

/** `origin` is the parent's block that this block is the first to build on; absent where it stays the one before. */
const seal = z.object({
  type: z.literal('seal'),
  number: z.number(),
  timestamp: z.number(),
  deposits: z.array(deposit),
  origin: z.object({ number: z.number(), hash: hex }).optional(),
})

/**
 * A line of the block log. A transaction is written before its sender is told that it was accepted, and a block before
 * anybody hears of it, in two lines: `seal` is what was decided of it, and `block` what the engine made of that. A seal
 * without its block, as a crash may leave it, counts for nothing: another one follows.
 */
const record = z.discriminatedUnion('type', [
  z.object({ type: z.literal('log'), version: z.literal(1), after: z.number(), hash: hex }),
  transaction,
  drop,
  seal,
  z.object({ type: z.literal('block'), number: z.number(), hash: hex, transactions: z.array(hex) }),
])

export type LogRecord = z.infer<typeof record>
export type Deposit = z.infer<typeof deposit>
export type SealRecord = z.infer<typeof seal>
export type TransactionRecord = z.infer<typeof transaction>
export type DropRecord = z.infer<typeof drop>
/** What a block is to be made of beside the transactions that wait: its time in seconds, and what goes before them. */
export type Plan = Pick<SealRecord, 'timestamp' | 'deposits' | 'origin'>
export type MakePlan = (head: Head) => Plan

/** Reads the records of a log that comes in pieces. */
export type RecordParser = {
  /** Takes the next piece, and answers the records that are whole by now. Throws where the log is damaged. */
  push: (piece: Buffer) => LogRecord[]
  /** The length of what ends with a whole, readable line. */
  complete: () => number
}

/** Makes a parser of the log that a file has from one of its bytes on. */
export function recordParser(file: string, from = 0): RecordParser {
  let partial: Buffer[] = []
  let complete = from
  let unreadable = false

  function take(line: Buffer): LogRecord[] {
    // Only the end of a log can be torn by a crash; anything else is damage that must not be papered over.
    if (unreadable) throw new Error(`${file} is damaged at byte ${complete}`)
    const record = parseLine(line.toString('latin1'))
    if (record) complete += line.length + 1
    else unreadable = true
    return record ? [record] : []
  }

  return {
    push: (piece) => {
      const records: LogRecord[] = []
      let from = 0
      for (let end = piece.indexOf(newline); end >= 0; end = piece.indexOf(newline, from)) {
        const line = Buffer.concat([...partial, piece.subarray(from, end)])
        partial = []
        from = end + 1
        records.push(...take(line))
      }
      // A copy, since whoever reads the pieces may use the same memory for all.
      if (from < piece.length) partial.push(Buffer.from(piece.subarray(from)))
      return records
    },
    complete: () => complete,
  }
}

const newline = 0x0a

function parseLine(line: string): LogRecord | undefined {
  try {
    return record.parse(JSON.parse(line))
  } catch {
    return undefined
  }
}
