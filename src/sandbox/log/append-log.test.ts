import { existsSync } from 'node:fs'
import { chmod, chown, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { recordsIn } from '../fixtures/records.ts'
import { temporaryDir } from '../fixtures/testing.ts'
import { beginSegment, openAppendLog } from './append-log.ts'
import type { LogRecord } from './records.ts'

test('records are in the order of the calls, and on disk when append resolves', async () => {
  await using dir = await temporaryDir()
  const file = join(dir.path, 'log')
  const log = await openAppendLog(file)
  const appended: Promise<void>[] = []
  for (let number = 1; number <= 200; number += 1) {
    appended.push(log.append({ type: 'seal', number, timestamp: number, deposits: [] }))
    if (number % 17 === 0) await new Promise(setImmediate)
    if (number === 100) {
      await appended[49]
      expect(recordsIn(await readFile(file, 'utf8'), file).records.length).toBeGreaterThanOrEqual(50)
    }
  }
  await Promise.all(appended)
  await log.close()
  const { records } = recordsIn(await readFile(file, 'utf8'), file)
  expect(records.map((record) => record.type === 'seal' && record.number)).toEqual(
    Array.from({ length: 200 }, (_, index) => index + 1),
  )
})

test.runIf(existsSync('/dev/full'))('every failed write is reported', async () => {
  const log = await openAppendLog('/dev/full')
  const plan: LogRecord = { type: 'seal', number: 1, timestamp: 1, deposits: [] }
  for (let attempt = 0; attempt < 2; attempt += 1) await expect(log.append(plan)).rejects.toThrow('cannot be written')
  await expect(log.flush()).rejects.toThrow('cannot be written')
  await log.close()
})

test.skipIf(process.platform === 'win32')('a segment whose folder entry cannot be synced is removed', async () => {
  await using dir = await temporaryDir()
  await withoutRights(dir.path, async () => {
    // The folder can be written to, but not opened for a sync.
    await chmod(dir.path, 0o300)
    const begun = beginSegment(join(dir.path, 'blocks-7.jsonl'), [{ type: 'log', version: 1, after: 7, hash: '0x' }])
    await expect(begun).rejects.toThrow('EACCES')
    await chmod(dir.path, 0o700)
  })
  expect(await readdir(dir.path)).toEqual([])
})

/** Runs work as a user who is bound by file permissions. */
async function withoutRights(dir: string, work: () => Promise<void>): Promise<void> {
  const nobody = 65_534
  const isRoot = process.geteuid?.() === 0
  if (isRoot) await chown(dir, nobody, nobody)
  if (isRoot) process.seteuid?.(nobody)
  try {
    await work()
  } finally {
    if (isRoot) process.seteuid?.(0)
  }
}
