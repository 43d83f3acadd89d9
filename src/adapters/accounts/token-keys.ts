import { createHmac, randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { parseJson } from '../../kit/values.ts'
import { readSecretFile } from '../system/secret-files.ts'

/** A signing key; `secret` is 32 bytes in base64url. It verifies nothing once `until` has passed. */
export type TokenKey = { kid: string; secret: string; createdAt: string; until?: Date }

const keySet = z.object({
  keys: z
    .array(z.object({ kid: z.string().min(1), secret: z.string().regex(/^[\w-]{43}$/), createdAt: z.iso.datetime() }))
    .min(1),
  /** When TOKEN_SECRET took their place, as the first start with it noted. */
  replacedAt: z.iso.datetime().optional(),
})

const days = 86_400_000

/** How long a key signs tokens. The first start after that creates a new one. */
const signingDays = 30

/** How long a replaced key still verifies tokens: longer than any token is valid. */
const verifyingDays = 8

const keyFile = (dataDir: string): string => join(dataDir, 'token-keys.json')

/**
 * Reads the keys in the data directory, the signing key first. Creates them at the first start, and rotates an old one.
 */
function loadTokenKeys(dataDir: string, now: Date): TokenKey[] {
  mkdirSync(dataDir, { recursive: true })
  const file = keyFile(dataDir)
  let keys = readTokenKeys(dataDir)
  if (keys === null) {
    const draft = writeDraft(file, [newKey(now)])
    try {
      linkSync(draft, file) // unlike a rename it fails where another process was first
    } catch (failure) {
      if (!isCode(failure, 'EEXIST')) throw failure
    } finally {
      rmSync(draft)
    }
    keys = readTokenKeys(dataDir) ?? []
  }
  const signing = keys[0]
  if (signing === undefined || !isOld(signing, now)) return keys
  rotate(dataDir, now)
  return readTokenKeys(dataDir) ?? keys
}

/**
 * The keys of a start, the one that signs first: those of TOKEN_SECRET, which all replicas have, and after them those of the
 * data directory that signed before, until their tokens have ended. Without TOKEN_SECRET those of the data directory.
 */
export function tokenKeysOf(dataDir: string, secrets: readonly string[], now: Date): TokenKey[] {
  if (secrets.length === 0) return loadTokenKeys(dataDir, now)
  return [...secrets.map(sharedKey), ...replacedKeys(dataDir, now)]
}

/** The key of a secret in hex. Every replica gives it the same id, which reveals nothing of it. */
function sharedKey(secret: string): TokenKey {
  const bytes = Buffer.from(secret, 'hex')
  const kid = createHmac('sha256', bytes).update('trident token key id').digest().subarray(0, 6).toString('base64url')
  return { kid, secret: bytes.toString('base64url'), createdAt: '' }
}

/** The keys in the file beside TOKEN_SECRET. The first start with it notes the time in the file. */
function replacedKeys(dataDir: string, now: Date): TokenKey[] {
  const found = readKeyFile(dataDir)
  if (found === null) return []
  const { keys, replacedAt = now.toISOString() } = found
  if (found.replacedAt === undefined) renameSync(writeDraft(keyFile(dataDir), keys, replacedAt), keyFile(dataDir))
  const until = new Date(Date.parse(replacedAt) + verifyingDays * days)
  return until <= now ? [] : keys.map((key) => ({ ...key, until }))
}

function isOld({ createdAt }: TokenKey, now: Date): boolean {
  return now.getTime() - Date.parse(createdAt) >= signingDays * days
}

/** The keys in the file; null where there is no file. Throws where it cannot be read, or others may read it. */
export function readTokenKeys(dataDir: string): TokenKey[] | null {
  return readKeyFile(dataDir)?.keys ?? null
}

function readKeyFile(dataDir: string): z.infer<typeof keySet> | null {
  const text = readSecretFile(keyFile(dataDir))
  if (text === null) return null
  const parsed = keySet.safeParse(parseJson(text))
  // The file's content is secret, so no error contains it.
  if (!parsed.success) throw new Error(`${keyFile(dataDir)} is damaged: restore it, or delete it to end all logins`)
  return parsed.data
}

/** Adds a new signing key, unless another process has added one meanwhile or holds the lock. */
function rotate(dataDir: string, now: Date): void {
  const file = keyFile(dataDir)
  const lock = `${file}.lock`
  try {
    closeSync(openSync(lock, 'wx', 0o600))
  } catch (failure) {
    if (!isCode(failure, 'EEXIST')) throw failure
    // A lock left by a process that died must not stop rotation forever.
    if (Date.now() - statSync(lock).mtimeMs > 60_000) rmSync(lock, { force: true })
    return
  }
  try {
    const keys = readTokenKeys(dataDir) ?? []
    const [newest] = keys
    if (newest !== undefined && !isOld(newest, now)) return
    // The key before it in the list replaced it, at the time when it stopped signing.
    const remaining = keys.filter((_, index) => {
      const replacedAt = index === 0 ? now.getTime() : Date.parse(keys[index - 1]?.createdAt ?? '')
      return now.getTime() - replacedAt < verifyingDays * days
    })
    renameSync(writeDraft(file, [newKey(now), ...remaining]), file)
  } finally {
    rmSync(lock, { force: true })
  }
}

function newKey(now: Date): TokenKey {
  const kid = randomBytes(6).toString('base64url')
  return { kid, secret: randomBytes(32).toString('base64url'), createdAt: now.toISOString() }
}

function writeDraft(file: string, keys: TokenKey[], replacedAt?: string): string {
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  const handle = openSync(draft, 'wx', 0o600)
  try {
    writeSync(handle, JSON.stringify({ keys, replacedAt }, null, 2))
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  return draft
}

function isCode(failure: unknown, code: string): boolean {
  return failure instanceof Error && 'code' in failure && failure.code === code
}
