import { truncateSync } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Emit } from '../kit/events.ts'
import { listLogs, logFile } from '../kit/files.ts'
import { type LogRecord, recordParser } from './records.ts'

/** A position in a log: the number of the block after which a segment begins, and an offset in bytes. */
export type LogPosition = { segment: number; bytes: number }

/**
 * Reads all records from a position on, and advances the position. The log is read in pieces, since it may have tens of
 * megabytes. An incomplete last line, as a crash leaves it, is cut off so that the log can be continued.
 */
export async function* readLog(dir: string, position: LogPosition, emit: Emit): AsyncGenerator<LogRecord> {
  for (const [file, isLast] of segmentsFrom(dir, position)) {
    const size = yield* readSegment(file, position)
    if (position.bytes === size) continue
    if (!isLast) throw new Error(`${file} is damaged at byte ${position.bytes}`)
    truncateSync(file, position.bytes)
    emit({ type: 'log-torn-line-dropped', file, bytes: size - position.bytes })
  }
}

/** Reads a log that is being written, as `readLog` does, but no further than `until`. */
export async function* readLiveLog(dir: string, position: LogPosition, until: LogPosition): AsyncGenerator<LogRecord> {
  for (const [file] of segmentsFrom(dir, position)) {
    if (position.segment > until.segment) return
    yield* readSegment(file, position, position.segment === until.segment ? until.bytes : undefined)
  }
}

/** The segment files from a position on, and whether each is the last. The position advances with the files. */
function* segmentsFrom(dir: string, position: LogPosition): Generator<[file: string, isLast: boolean]> {
  const segments = listLogs(dir).filter((after) => after >= position.segment)
  if (segments[0] !== position.segment) throw new Error(`${logFile(dir, position.segment)} is missing`)
  for (const segment of segments) {
    if (segment !== position.segment) Object.assign(position, { segment, bytes: 0 })
    yield [logFile(dir, segment), segment === segments.at(-1)]
  }
}

/** Reads a file, or its first `until` bytes. Returns the offset at which that ends. */
async function* readSegment(file: string, position: LogPosition, until?: number): AsyncGenerator<LogRecord, number> {
  await using handle = await open(file, 'r')
  const size = until ?? (await handle.stat()).size
  const parser = recordParser(file, position.bytes)
  const piece = Buffer.alloc(65_536)
  for (let at = position.bytes; at < size; ) {
    const { bytesRead } = await handle.read(piece, 0, Math.min(piece.length, size - at), at)
    if (bytesRead === 0) break
    at += bytesRead
    yield* parser.push(piece.subarray(0, bytesRead))
    position.bytes = parser.complete()
  }
  return size
}
