import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fstatSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'

/**
 * 32 random bytes as 64 hex digits, created at the first call, then always the same; readable by the owner only. Throws
 * where the file has other content or others may read it: a new key would make every wallet unreadable.
 */
export function storedSecret(dataDir: string, name: string): string {
  const file = join(dataDir, name)
  const existing = read(file)
  if (existing !== null) return existing
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const fresh = `${file}.${randomBytes(6).toString('hex')}`
  const descriptor = openSync(fresh, 'wx', 0o600)
  try {
    writeSync(descriptor, `${randomBytes(32).toString('hex')}\n`)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  try {
    linkSync(fresh, file) // fails where another process created it first, so that both use one secret
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  } finally {
    unlinkSync(fresh)
  }
  const created = read(file)
  if (created === null) throw new Error(`${file} was deleted while it was created. Start again.`)
  return created
}

/** The text of a file that holds secrets; null where there is none. Throws where others may read it. */
export function readSecretFile(file: string): string | null {
  const descriptor = opened(file)
  if (descriptor === null) return null
  try {
    // Windows has no such file modes.
    if (process.platform !== 'win32' && (fstatSync(descriptor).mode & 0o077) !== 0)
      throw new Error(`${file} holds a secret and others may read it. Run chmod 600 on it.`)
    return readFileSync(descriptor, 'utf8')
  } finally {
    closeSync(descriptor)
  }
}

function read(file: string): string | null {
  const text = readSecretFile(file)?.trim() ?? null
  if (text === null) return null
  if (!/^[0-9a-f]{64}$/.test(text))
    throw new Error(`${file} does not contain a key of 64 hex digits. Restore it from a backup.`)
  return text
}

function opened(file: string): number | null {
  try {
    return openSync(file, 'r')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}
