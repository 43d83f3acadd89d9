import type { Hex } from '../../domain/ports/chains.ts'
import type { NodeBlock, NodeObject } from '../../domain/ports/node.ts'

/** A block that the tracker follows. */
export type TrackedBlock = NodeBlock & {
  parentHash: Hex
  /** The block as the node returned it, with transaction hashes. */
  wire: NodeObject
  /** How many logs it stores. */
  remembered(): number
  /** True where its logs were read before, so that readers may have received them. */
  wasRead(): boolean
  /** Drops its logs; they are read again on request. */
  forget(): void
}

type Logs = readonly NodeObject[]

/** Creates a block from its JSON-RPC form. Its logs are read on first request, then stored. */
export function trackedBlock(wire: NodeObject, readLogs: (block: TrackedBlock) => Promise<Logs>): TrackedBlock {
  const { transactions: _transactions, uncles: _uncles, withdrawals: _withdrawals, ...header } = wire
  let reading: Promise<Logs> | null = null
  let remembered = 0
  let wasRead = false

  function read(): Promise<Logs> {
    const started = readLogs(block)
    started.then(
      (logs) => {
        remembered = logs.length
        wasRead ||= remembered > 0
        // The bloom announces logs that the node may not have indexed yet.
        if (remembered === 0) reading = null
      },
      () => {
        reading = null
      },
    )
    return started
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

/** Every log sets bits in the bloom of its block. */
function isEmptyBloom(bloom: unknown): boolean {
  return typeof bloom === 'string' && /^0x0+$/.test(bloom)
}
