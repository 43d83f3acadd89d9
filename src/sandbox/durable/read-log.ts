import { truncateSync } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Emit } from '../kit/events.ts'
import { listLogs, logFile } from '../kit/files.ts'
import { type LogRecord, recordParser } from './records.ts'

/** A place in a log: the segment that begins after a block, and so many bytes of it. */
export type LogPlace = { segment: number; bytes: number }

/**
 * Reads all records from a place on, which moves along, piece by piece: a log may have tens of megabytes. The torn end
 * a crash may leave is cut off the last segment, so that it can be continued.
 */
export async function* readLog(dir: string, place: LogPlace, emit: Emit): AsyncGenerator<LogRecord> {
  for (const [file, isLast] of segmentsFrom(dir, place)) {
    const size = yield* readSegment(file, place)
    if (place.bytes === size) continue
    if (!isLast) throw new Error(`${file} is damaged at byte ${place.bytes}`)
    truncateSync(file, place.bytes)
    emit({ type: 'log-torn-line-dropped', file, bytes: size - place.bytes })
  }
}

/** Reads on as `readLog` does in a log that is being written, no further than what is there for sure. */
export async function* readLiveLog(dir: string, place: LogPlace, until: LogPlace): AsyncGenerator<LogRecord> {
  for (const [file] of segmentsFrom(dir, place)) {
    if (place.segment > until.segment) return
    yield* readSegment(file, place, place.segment === until.segment ? until.bytes : undefined)
  }
}

/** The files from a place on, each when the place has come to it, and whether it is the last. */
function* segmentsFrom(dir: string, place: LogPlace): Generator<[file: string, isLast: boolean]> {
  const segments = listLogs(dir).filter((after) => after >= place.segment)
  if (segments[0] !== place.segment) throw new Error(`${logFile(dir, place.segment)} is missing`)
  for (const segment of segments) {
    if (segment !== place.segment) Object.assign(place, { segment, bytes: 0 })
    yield [logFile(dir, segment), segment === segments.at(-1)]
  }
}

/** Answers where the file, or the part of it that was asked for, ends. */
async function* readSegment(file: string, place: LogPlace, until?: number): AsyncGenerator<LogRecord, number> {
  await using handle = await open(file, 'r')
  const size = until ?? (await handle.stat()).size
  const parser = recordParser(file, place.bytes)
  const piece = Buffer.alloc(65_536)
  for (let at = place.bytes; at < size; ) {
    const { bytesRead } = await handle.read(piece, 0, Math.min(piece.length, size - at), at)
    if (bytesRead === 0) break
    at += bytesRead
    yield* parser.push(piece.subarray(0, bytesRead))
    place.bytes = parser.complete()
  }
  return size
}
