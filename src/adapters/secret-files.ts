import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/**
 * 32 random bytes as 64 hex digits, made at the first call and the same ever after; readable by the owner alone.
 * A file that does not hold exactly that is an Error: silently making a new key would lock every wallet out.
 */
export function keptSecret(dataDir: string, name: string): string {
  const file = join(dataDir, name)
  const kept = read(file)
  if (kept !== null) return kept
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
    linkSync(fresh, file) // fails where another process was first, so that both use one secret
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  } finally {
    unlinkSync(fresh)
  }
  const made = read(file)
  if (made === null) throw new Error(`${file} vanished while it was made.`)
  return made
}

function read(file: string): string | null {
  let text: string
  try {
    text = readFileSync(file, 'utf8').trim()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
  if (!/^[0-9a-f]{64}$/.test(text))
    throw new Error(`${file} does not hold a key of 64 hex digits; restore it from a backup.`)
  return text
}
