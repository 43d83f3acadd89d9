import { existsSync } from 'node:fs'
import { chmod, chown, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { recordsIn } from '../fixtures/records.ts'
import { temporaryDir } from '../fixtures/testing.ts'
import { beginSegment, openAppendLog } from './append-log.ts'
import type { LogRecord } from './records.ts'

test('keeps the order of the calls, and is on disk when it says so', async () => {
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

test.runIf(existsSync('/dev/full'))('what the disk does not take is said so, each time it is tried', async () => {
  const log = await openAppendLog('/dev/full')
  const seal: LogRecord = { type: 'seal', number: 1, timestamp: 1, deposits: [] }
  for (let attempt = 0; attempt < 2; attempt += 1) await expect(log.append(seal)).rejects.toThrow('cannot be written')
  await expect(log.flush()).rejects.toThrow('cannot be written')
  await log.close()
})

test.skipIf(process.platform === 'win32')(
  'a segment whose place in the folder is not settled is not left there',
  async () => {
    await using dir = await temporaryDir()
    await withoutRights(dir.path, async () => {
      // It can be written to, but not opened to be synced.
      await chmod(dir.path, 0o300)
      const begun = beginSegment(join(dir.path, 'blocks-7.jsonl'), [{ type: 'log', version: 1, after: 7, hash: '0x' }])
      await expect(begun).rejects.toThrow('EACCES')
      await chmod(dir.path, 0o700)
    })
    expect(await readdir(dir.path)).toEqual([])
  },
)

/** Works in a folder as somebody whom the rights of files bind. */
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
