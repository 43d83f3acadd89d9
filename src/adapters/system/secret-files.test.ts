import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { storedSecret } from './secret-files.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'trident-secret-'))
})
afterEach(() => rmSync(dir, { recursive: true }))

test('a secret is created once, stored, and readable by the owner alone', () => {
  const first = storedSecret(dir, 'master.key')
  expect(first).toMatch(/^[0-9a-f]{64}$/)
  expect(storedSecret(dir, 'master.key')).toBe(first)
  expect(storedSecret(dir, 'other.key')).not.toBe(first)
  expect(statSync(join(dir, 'master.key')).mode & 0o777).toBe(0o600)
  expect(readdirSync(dir).sort()).toEqual(['master.key', 'other.key'])
})

test('a damaged secret is an error, never replaced', () => {
  writeFileSync(join(dir, 'master.key'), 'half', { mode: 0o600 })
  expect(() => storedSecret(dir, 'master.key')).toThrow(/Restore it/)
})

test.skipIf(process.platform === 'win32')('a secret that others may read is not used', () => {
  storedSecret(dir, 'master.key')
  chmodSync(join(dir, 'master.key'), 0o640)
  expect(() => storedSecret(dir, 'master.key')).toThrow(/chmod 600/)
})
