import { open, rm } from 'node:fs/promises'
import { writeWhole } from '../kit/files.ts'
import { DiskError } from './disk.ts'
import type { LogRecord } from './records.ts'

/** The open end of a block log. */
export type AppendLog = {
  /**
   * Settles when the records are on disk. They reach it in their order, and in the order of the calls. Throws DiskError
   * where they do not get there: they are not in the log then, and another append may go well.
   */
  append: (...records: readonly LogRecord[]) => Promise<void>
  /** Waits for what is under way. Throws what that throws. */
  flush: () => Promise<void>
  /** The bytes of the file that are on disk for sure. */
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
  /** How much of the file is on disk for sure, and whether it ends there. */
  let size = (await handle.stat()).size
  let torn = false

  async function write(): Promise<void> {
    // One turn of the event loop lets everything that is already under way join this write.
    await new Promise(setImmediate)
    const bytes = Buffer.from(queued.join(''))
    queued = []
    writing = undefined
    try {
      // After a failed write nobody knows what the file ends with, so nothing may be added to that.
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

/** Begins a log with its first records, which are there all together or not at all. */
export async function beginSegment(file: string, records: readonly LogRecord[]): Promise<AppendLog> {
  try {
    writeWhole(file, records.map(lineOf).join(''))
    return await openAppendLog(file)
  } catch (error) {
    // It may be there by now, and the next start would take it for the newest while the log went on in another.
    await rm(file, { force: true })
    throw error
  }
}

function lineOf(record: LogRecord): string {
  return `${JSON.stringify(record)}\n`
}
