import type { contract } from '../../contract/index.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'

export type Logs = OutputOf<typeof contract.chain.streamLogs>['logs']
type Log = Logs[number]

/**
 * Parts the logs of consecutive blocks into messages of at most so many bytes as protobuf. A block is never parted: one
 * with more is a message of its own.
 */
export function inWholeBlocks(logs: Logs, mostBytes: number): Logs[] {
  const messages: Logs[] = []
  let filled = 0
  for (const block of blocksOf(logs)) {
    const bytes = bytesOfLogs(block)
    const open = messages.at(-1)
    if (open !== undefined && filled + bytes <= mostBytes) {
      open.push(...block)
      filled += bytes
    } else {
      messages.push(block)
      filled = bytes
    }
  }
  return messages
}

/** The length of a message of logs as protobuf. */
export function bytesOfLogs(logs: Logs): number {
  return logs.reduce((sum, log) => sum + field(bytesOfLog(log)), 0)
}

function blocksOf(logs: Logs): Logs[] {
  const blocks: Logs[] = []
  for (const log of logs) {
    const block = blocks.at(-1)
    if (block !== undefined && block[0]?.blockHash === log.blockHash) block.push(log)
    else blocks.push([log])
  }
  return blocks
}

/** Every text of a log is ASCII, so that a character is a byte. */
function bytesOfLog({ topics, removed, ...texts }: Log): number {
  const all = [...topics, ...Object.values(texts)]
  const bytes = all.reduce<number>((sum, text) => sum + (text == null ? 0 : field(text.length)), 0)
  return bytes + (removed === undefined ? 0 : 2)
}

/** A field of so many bytes, with its number, which is below 16, and its length, which is 7 bits a byte. */
function field(bytes: number): number {
  return 1 + Math.max(1, Math.ceil((32 - Math.clz32(bytes)) / 7)) + bytes
}
