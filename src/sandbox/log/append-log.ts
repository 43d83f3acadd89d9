import { open, rm } from 'node:fs/promises'
import { writeWhole } from '../kit/files.ts'
import { DiskError } from './disk-errors.ts'
import type { LogRecord } from './records.ts'

/** A block log that is open for appending. */
export type AppendLog = {
  /**
   * Resolves when the records are on disk, in the order of the calls. Throws DiskError where they cannot be written: the
   * log does not contain them then, and a later append may succeed.
   */
  append: (...records: readonly LogRecord[]) => Promise<void>
  /** Waits for the current write. Throws the error of that write. */
  flush: () => Promise<void>
  /** The number of bytes that are known to be on disk. */
  size: () => number
  close: () => Promise<void>
}

/**
 * Opens a log for appending. Records that arrive while the disk is busy share the next write and sync, so the number
 * of records a second does not depend on how long a sync takes.
 */
export async function openAppendLog(file: string): Promise<AppendLog> {
  const handle = await open(file, 'a', 0o600)
  let queued: string[] = []
  let writing: Promise<void> | undefined
  /** The number of bytes that are known to be on disk, and whether the file may have more after them. */
  let size = (await handle.stat()).size
  let torn = false

  async function write(): Promise<void> {
    // One turn of the event loop lets appends of the same moment join this write.
    await new Promise(setImmediate)
    const bytes = Buffer.from(queued.join(''))
    queued = []
    writing = undefined
    try {
      // The end of the file is unknown after a failed write, so it is cut off before anything is added.
      if (torn) await handle.truncate(size)
      torn = true
      await handle.appendFile(bytes)
      await handle.datasync()
      size += bytes.length
      torn = false
    } catch (error) {
      await handle.truncate(size).catch(() => {})
      throw new DiskError(new Error(`${file} cannot be written`, { cause: error }))
    }
  }

  let last: Promise<void> = Promise.resolve()
  function append(...records: readonly LogRecord[]): Promise<void> {
    queued.push(...records.map(lineOf))
    if (!writing) {
      writing = last.catch(() => {}).then(write)
      last = writing
    }
    return writing
  }

  return {
    append,
    flush: () => last,
    size: () => size,
    close: async () => {
      await last.catch(() => {})
      await handle.close()
    },
  }
}

/** Begins a log segment with its first records. Either all of them are written or none. */
export async function beginSegment(file: string, records: readonly LogRecord[]): Promise<AppendLog> {
  try {
    writeWhole(file, records.map(lineOf).join(''))
    return await openAppendLog(file)
  } catch (error) {
    // The file may exist already. The next start would take it for the newest segment, although this process goes on
    // writing to an older one.
    await rm(file, { force: true })
    throw error
  }
}

function lineOf(record: LogRecord): string {
  return `${JSON.stringify(record)}\n`
}
