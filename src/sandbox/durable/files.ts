import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Emit } from '../events.ts'
import { type LogRecord, parseLog } from './records.ts'

/** Writes a whole file so that after a crash either the old or the new content is there, never a part. */
export function writeWhole(file: string, content: string | Buffer): void {
  const temporary = `${file}.tmp`
  const fd = openSync(temporary, 'w', 0o600)
  try {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  renameSync(temporary, file)
  syncDirectory(join(file, '..'))
}

export function logFile(dir: string, after: number): string {
  return join(dir, `blocks-${after}.jsonl`)
}

export function snapshotFile(dir: string, block: number): string {
  return join(dir, `state-${block}.bin`)
}

/** Block numbers of the snapshots, newest first. */
export function listSnapshots(dir: string): number[] {
  return numbered(dir, /^state-(\d+)\.bin$/).reverse()
}

/** Block numbers after which a log segment begins, oldest first. */
export function listLogs(dir: string): number[] {
  return numbered(dir, /^blocks-(\d+)\.jsonl$/)
}

/** Where a chain keeps its blocks for good. */
export function storeFile(dir: string): string {
  return join(dir, 'blocks.sqlite')
}

/** All records after a block. The torn end a crash may leave is cut off the last segment, so that it can be continued. */
export function readLogs(dir: string, from: number, emit: Emit): LogRecord[] {
  return recordsAfter(dir, from, (file, complete, bytes) => {
    truncateSync(file, complete)
    emit({ type: 'log-torn-line-dropped', file, bytes })
  })
}

/** The records after a block of a log that is being written. A line that is not whole yet is left out. */
export function readLiveLogs(dir: string, from: number): LogRecord[] {
  return recordsAfter(dir, from, () => {})
}

type OnTorn = (file: string, complete: number, bytes: number) => void

function recordsAfter(dir: string, from: number, onTorn: OnTorn): LogRecord[] {
  const segments = listLogs(dir).filter((after) => after >= from)
  if (segments[0] !== from) throw new Error(`${logFile(dir, from)} is missing`)
  return segments.flatMap((after, index) => {
    const file = logFile(dir, after)
    const bytes = readFileSync(file)
    const { records, complete } = parseLog(bytes.toString('latin1'), file)
    if (complete < bytes.length) {
      if (index < segments.length - 1) throw new Error(`${file} is damaged at byte ${complete}`)
      onTorn(file, complete, bytes.length - complete)
    }
    return records
  })
}

/**
 * Removes what newer snapshots make superfluous. One of those before the newest stays in case that is damaged: the
 * first that is so many blocks older that an engine raised from it makes as many states as it keeps.
 */
export function removeSuperseded(dir: string, depth: number): void {
  const [newest = 0, ...older] = listSnapshots(dir)
  const keepFrom = older.find((block) => block <= newest - depth)
  if (keepFrom === undefined) return
  for (const block of older) if (block < keepFrom) rmSync(snapshotFile(dir, block), { force: true })
  for (const after of listLogs(dir)) if (after < keepFrom) rmSync(logFile(dir, after), { force: true })
}

function numbered(dir: string, pattern: RegExp): number[] {
  if (!existsSync(dir)) return []
  return readdirSync(dir)
    .flatMap((name) => pattern.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b)
}

function syncDirectory(dir: string): void {
  const fd = openSync(dir, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
