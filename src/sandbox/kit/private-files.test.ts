import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDir } from '../fixtures/testing.ts'
import { makePrivate, openPrivate } from './private-files.ts'

test('a folder, its folders and its files are closed to others, and links lead nowhere else', async () => {
  await using dir = await temporaryDir()
  const [chain, outside] = [join(dir.path, 'chain'), join(dir.path, 'outside')]
  mkdirSync(join(chain, 'parent'), { recursive: true })
  writeFileSync(outside, '')
  for (const name of ['blocks.sqlite', 'parent/blocks.sqlite', 'lock']) writeFileSync(join(chain, name), '')
  symlinkSync(outside, join(chain, 'link'))
  for (const path of [chain, join(chain, 'parent')]) chmodSync(path, 0o755)
  for (const name of ['blocks.sqlite', 'parent/blocks.sqlite', 'lock']) chmodSync(join(chain, name), 0o664)
  chmodSync(outside, 0o644)
  makePrivate(chain)
  for (const path of ['', 'parent']) expect(modeOf(join(chain, path))).toBe(0o700)
  for (const name of ['blocks.sqlite', 'parent/blocks.sqlite', 'lock']) expect(modeOf(join(chain, name))).toBe(0o600)
  expect(modeOf(outside)).toBe(0o644)
})

test('a new database and its log are for their owner alone, and a second handle keeps the locks of the first', async () => {
  await using dir = await temporaryDir()
  const file = join(dir.path, 'a.sqlite')
  using first = openPrivate(file)
  first.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (a); BEGIN EXCLUSIVE')
  for (const name of [file, `${file}-wal`, `${file}-shm`]) expect(modeOf(name)).toBe(0o600)
  using second = openPrivate(file, { timeout: 0 })
  expect(() => second.exec('BEGIN IMMEDIATE')).toThrow('locked')
})

function modeOf(path: string): number {
  return statSync(path).mode & 0o777
}
