import type { Hex } from '../../domain/ports/chains.ts'
import type { NodeBlock, NodeObject } from '../../domain/ports/node.ts'

/** A block that the tracker follows. */
export type TrackedBlock = NodeBlock & {
  parentHash: Hex
  /** The whole block as the node answers it, with the hashes of its transactions. */
  wire: NodeObject
  /** How many logs it remembers. */
  remembered(): number
  /** Whether logs of it were read before, so that somebody may have been told them. */
  wasRead(): boolean
  /** Lets go of its logs; they are read again when they are asked for. */
  forget(): void
}

type Logs = readonly NodeObject[]

/** Makes a block of its wire form. Its logs are read when they are first asked for, and remembered. */
export function trackedBlock(wire: NodeObject, readLogs: (block: TrackedBlock) => Promise<Logs>): TrackedBlock {
  const { transactions: _transactions, uncles: _uncles, withdrawals: _withdrawals, ...header } = wire
  let reading: Promise<Logs> | null = null
  let remembered = 0
  let wasRead = false

  function read(): Promise<Logs> {
    const asked = readLogs(block)
    asked.then(
      (logs) => {
        remembered = logs.length
        wasRead ||= remembered > 0
        // The bloom says that there are some, which the node may have yet to learn.
        if (remembered === 0) reading = null
      },
      () => {
        reading = null
      },
    )
    return asked
  }

  const block: TrackedBlock = {
    number: BigInt(String(wire.number)),
    hash: wire.hash as Hex,
    parentHash: wire.parentHash as Hex,
    header,
    news: { type: 'newHeads', head: header },
    wire,
    logs() {
      reading ??= isEmptyBloom(wire.logsBloom) ? Promise.resolve([]) : read()
      return reading
    },
    remembered: () => remembered,
    wasRead: () => wasRead,
    forget() {
      if (remembered > 0) reading = null
      remembered = 0
    },
  }
  return block
}

/** Every log leaves its mark in the bloom of its block. */
function isEmptyBloom(bloom: unknown): boolean {
  return typeof bloom === 'string' && /^0x0+$/.test(bloom)
}
