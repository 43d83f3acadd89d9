import type { Hex } from 'viem'
import { z } from 'zod'
import { parseJson } from '../../kit/values.ts'

/** What identifies a block; `timestamp` is in seconds. Used for the newest block of a chain. */
export type Head = { number: number; hash: Hex; parentHash: Hex; timestamp: number; stateRoot: Hex }

const hex = z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]*$/)])

/**
 * A deposit transaction of the OP Stack. `parentTransaction` is the transaction of the parent chain that ordered it, null
 * for the rollup's own. The hash follows from the other fields; `to` is null where it creates a contract.
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

/** Older logs lack `from` and `nonce`, which can be read from `raw`. */
const transaction = z.object({
  type: z.literal('transaction'),
  hash: hex,
  raw: hex,
  from: hex.optional(),
  nonce: z.number().optional(),
})

/** A transaction that is no longer pending, although no block contains it. */
const drop = z.object({ type: z.literal('drop'), hash: hex })

/**
 * The plan of a block. `origin` is the block of the parent chain that it refers to; a block without one refers to the
 * same as the block before it.
 */
const seal = z.object({
  type: z.literal('seal'),
  number: z.number(),
  timestamp: z.number(),
  deposits: z.array(deposit),
  origin: z.object({ number: z.number(), hash: hex }).optional(),
})

/**
 * A line of the block log. A transaction is written before its sender gets a response, and a block before it is
 * published. A block takes two lines: `seal` is its plan and `block` is the result of the engine. A plan without its
 * result, as a crash may leave it, is ignored: another plan follows.
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
/** What a block consists of besides the pending transactions: its time in seconds, its deposits and its origin. */
export type Plan = Pick<SealRecord, 'timestamp' | 'deposits' | 'origin'>
export type MakePlan = (head: Head) => Plan

/** Reads the records of a log from consecutive pieces of it. */
type RecordParser = {
  /** Takes the next piece and returns the records that it completes. Throws where the log is damaged. */
  push: (piece: Buffer) => LogRecord[]
  /** The offset after the last complete, readable line. */
  complete: () => number
}

/** Creates a parser. `from` is the offset of the first piece; `file` appears in errors. */
export function recordParser(file: string, from = 0): RecordParser {
  let partial: Buffer[] = []
  let complete = from
  let unreadable = false

  function take(line: Buffer): LogRecord[] {
    // A crash leaves an unreadable line at the end only. Anywhere else the log is damaged.
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
      // Copied, since the caller may reuse the memory of the piece.
      if (from < piece.length) partial.push(Buffer.from(piece.subarray(from)))
      return records
    },
    complete: () => complete,
  }
}

const newline = 0x0a

function parseLine(line: string): LogRecord | undefined {
  return record.safeParse(parseJson(line)).data
}
