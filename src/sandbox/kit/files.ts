import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'

/** Writes a file so that a crash leaves either the old or the new content, never a part. */
export function writeWhole(file: string, content: string | Buffer): void {
  const temporary = `${file}.tmp`
  const fd = openSync(temporary, 'w', 0o600)
  try {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
    fsyncSync(fd)
    renameSync(temporary, file)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  } finally {
    closeSync(fd)
  }
  syncDirectory(join(file, '..'))
}

/** Removes segments and snapshots that a crash interrupted while they were written. */
export function removeHalfWritten(dir: string): void {
  const halfWritten = readdirSync(dir).filter((name) => /^(blocks|state)-\d+\.(jsonl|bin)\.tmp$/.test(name))
  for (const name of halfWritten) rmSync(join(dir, name), { force: true, recursive: true })
}

export function logFile(dir: string, after: number): string {
  return join(dir, `blocks-${after}.jsonl`)
}

export function snapshotFile(dir: string, block: number): string {
  return join(dir, `state-${block}.bin`)
}

/** The folder of the snapshots that are kept for reads of the past. */
export function pastFolder(dir: string): string {
  return join(dir, 'past')
}

/** Block numbers of the snapshots, newest first. */
export function listSnapshots(dir: string): number[] {
  return numbered(dir, /^state-(\d+)\.bin$/).reverse()
}

/** The block numbers after which the log segments begin, oldest first. */
export function listLogs(dir: string): number[] {
  return numbered(dir, /^blocks-(\d+)\.jsonl$/)
}

/** The file with the price path of the market, and what was set. */
export function marketFile(dir: string): string {
  return join(dir, 'market.json')
}

/** The database of a chain's blocks. */
export function storeFile(dir: string): string {
  return join(dir, 'blocks.sqlite')
}

/**
 * Removes snapshots and log segments that newer snapshots supersede. One older snapshot stays in case the newest is
 * damaged: the first that is at least `depth` blocks older, so that an engine started from it has as many states. Some of
 * the others move to the folder of the past, `pastBlocks` and more apart.
 */
export function removeSuperseded(dir: string, depth: number): void {
  const [newest = 0, ...older] = listSnapshots(dir)
  const keepFrom = older.find((block) => block <= newest - depth)
  if (keepFrom === undefined) return
  for (const block of older.toReversed()) if (block < keepFrom) keepPast(dir, block)
  for (const after of listLogs(dir)) if (after < keepFrom) rmSync(logFile(dir, after), { force: true })
}

/** Removes states of blocks that the chain does not have: a chain that was restored from a backup may go on otherwise. */
export function removePastAfter(dir: string, head: number): void {
  const past = pastFolder(dir)
  for (const block of listSnapshots(past)) if (block > head) rmSync(snapshotFile(past, block), { force: true })
}

/** The blocks between two states of the past: an engine runs them again in some ten seconds, and a day has 22 states. */
const pastBlocks = 2_000

function keepPast(dir: string, block: number): void {
  const past = pastFolder(dir)
  mkdirSync(past, { recursive: true, mode: 0o700 })
  const [newest = 0] = listSnapshots(past)
  if (block < newest + pastBlocks) rmSync(snapshotFile(dir, block), { force: true })
  else renameSync(snapshotFile(dir, block), snapshotFile(past, block))
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
