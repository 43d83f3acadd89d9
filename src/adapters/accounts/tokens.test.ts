import { createHmac } from 'node:crypto'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { clockAt } from '../../../test/clock.ts'
import { openTokens } from './tokens.ts'

const day = 86_400_000
const session = '5f0c1f7e-7c1a-4c7c-9a56-0f6f2b1d8a11'
let dataDir = ''
let now = new Date()
const clock = clockAt(() => now)

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'trident-tokens-'))
  now = new Date('2026-03-01T10:00:00.987Z')
})
afterEach(() => rmSync(dataDir, { recursive: true }))

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const read = (text: string | undefined): Record<string, unknown> =>
  JSON.parse(Buffer.from(text ?? '', 'base64url').toString())

/** Signs any header and claims with the real key. */
function forge(header: object, claims: object): string {
  const [key] = JSON.parse(readFileSync(join(dataDir, 'token-keys.json'), 'utf8')).keys
  const body = `${part({ alg: 'HS256', typ: 'JWT', kid: key.kid, ...header })}.${part(claims)}`
  return `${body}.${createHmac('sha256', Buffer.from(key.secret, 'base64url')).update(body).digest('base64url')}`
}

test('a token carries its claims, and its expiry is the one that is announced', () => {
  const tokens = openTokens({ dataDir, clock })
  const user = tokens.issueUser({ id: 7, generation: 0 })
  expect(tokens.verify(user.accessToken)).toEqual({
    id: expect.any(String),
    generation: 0,
    kind: 'user',
    userId: 7,
    sessionId: null,
    issuedAt: expect.any(Date),
    expiresAt: user.expiresAt,
  })
  const { accessToken, expiresAt } = tokens.issueSession({ id: 7, generation: 0 }, session)
  expect(tokens.verify(accessToken)).toMatchObject({ kind: 'session', userId: 7, sessionId: session, expiresAt })
  const [header, claims] = accessToken.split('.').slice(0, 2).map(read)
  expect(header).toEqual({ alg: 'HS256', typ: 'JWT', kid: expect.any(String) })
  expect(claims).toMatchObject({ sub: '7', kind: 'session', sid: session, jti: expect.any(String) })
  expect(new Date((claims?.exp as number) * 1_000).toISOString()).toBe(expiresAt.toISOString())
})

test('a token dies at its expiry, also when its signature was checked before', () => {
  const tokens = openTokens({ dataDir, clock })
  const { accessToken, expiresAt } = tokens.issueUser({ id: 7, generation: 0 })
  now = new Date(expiresAt.getTime() - 1)
  expect(tokens.verify(accessToken)).toMatchObject({ userId: expect.any(Number) })
  now = expiresAt
  expect(tokens.verify(accessToken)).toBe('expired')
})

test('keys outlive a restart, are private, and leave nothing else behind', () => {
  const { accessToken } = openTokens({ dataDir, clock }).issueUser({ id: 7, generation: 0 })
  expect(openTokens({ dataDir, clock }).verify(accessToken)).toMatchObject({ userId: expect.any(Number) })
  expect(statSync(join(dataDir, 'token-keys.json')).mode & 0o777).toBe(0o600)
  expect(readdirSync(dataDir)).toEqual(['token-keys.json'])
})

test('an old key is replaced at a start, verifies on while its tokens live, and then goes', () => {
  const before = openTokens({ dataDir, clock })
  now = new Date(now.getTime() + 31 * day)
  const old = before.issueSession({ id: 7, generation: 0 }, session).accessToken
  const after = openTokens({ dataDir, clock })
  const fresh = after.issueSession({ id: 7, generation: 0 }, session).accessToken
  expect(read(fresh.split('.')[0]).kid).not.toBe(read(old.split('.')[0]).kid)
  expect(after.verify(old)).toMatchObject({ userId: expect.any(Number) })
  expect(before.verify(fresh)).toMatchObject({ userId: expect.any(Number) })
  for (const _ of [1, 2]) {
    now = new Date(now.getTime() + 31 * day)
    openTokens({ dataDir, clock })
  }
  expect(readFileSync(join(dataDir, 'token-keys.json'), 'utf8')).not.toContain(read(old.split('.')[0]).kid)
})

test.skipIf(process.platform === 'win32')('keys that others may read are not used', () => {
  openTokens({ dataDir, clock })
  chmodSync(join(dataDir, 'token-keys.json'), 0o644)
  expect(() => openTokens({ dataDir, clock })).toThrow(/others may read it. Run chmod 600/)
})

test('a damaged key file is named, its text is not shown', () => {
  openTokens({ dataDir, clock })
  writeFileSync(join(dataDir, 'token-keys.json'), '{"keys": [{"secret": "abc"')
  expect(() => openTokens({ dataDir, clock })).toThrow(/token-keys\.json is damaged: restore it, or delete it[^"]*$/)
})

test('well signed tokens of another form are refused', () => {
  const tokens = openTokens({ dataDir, clock })
  const exp = Math.floor(now.getTime() / 1_000) + 60
  const claims = { sub: '7', kind: 'user', iat: exp - 60, exp, jti: 'x' }
  expect(tokens.verify(forge({}, claims))).toMatchObject({ userId: expect.any(Number) })
  const bad = [
    forge({ alg: 'none' }, claims),
    forge({ alg: 'HS512' }, claims),
    forge({ typ: 'jwt+x' }, claims),
    forge({ kid: 'other' }, claims),
    forge({ crit: [] }, claims),
    forge({}, { ...claims, kind: 'admin' }),
    forge({}, { ...claims, kind: 'session' }),
    forge({}, { ...claims, sid: session }),
    forge({}, { ...claims, sub: '0' }),
    forge({}, { ...claims, sub: '7 ' }),
    forge({}, { ...claims, exp: String(exp) }),
    forge({}, { ...claims, exp: 1e300 }),
    forge({}, { ...claims, exp: exp - 60 }),
  ]
  expect(bad.map((token) => tokens.verify(token))).toEqual(bad.map(() => expect.stringMatching(/^(invalid|expired)$/)))
})

test('no text but the token itself verifies', () => {
  const tokens = openTokens({ dataDir, clock })
  const { accessToken } = tokens.issueSession({ id: 7, generation: 0 }, session)
  const refused = (text: string) => text === accessToken || tokens.verify(text) === 'invalid'
  const position = fc.nat(accessToken.length)
  const piece = fc.string({ unit: 'binary', maxLength: 3 })
  fc.assert(fc.property(fc.string({ unit: 'binary' }), refused))
  fc.assert(
    fc.property(position, fc.nat(3), piece, (at, cut, text) =>
      refused(accessToken.slice(0, at) + text + accessToken.slice(at + cut)),
    ),
    { numRuns: 2_000 },
  )
  fc.assert(
    fc.property(fc.array(fc.base64String(), { minLength: 3, maxLength: 4 }), (parts) => refused(parts.join('.'))),
  )
})

test('TOKEN_SECRET signs with its first secret and verifies with all, in every folder alike', () => {
  const [first, second] = ['1a'.repeat(32), '2b'.repeat(32)]
  const elsewhere = mkdtempSync(join(tmpdir(), 'trident-tokens-'))
  try {
    const one = openTokens({ dataDir, clock, secrets: [first] })
    const other = openTokens({ dataDir: elsewhere, clock, secrets: [second, first] })
    const account = { id: 7, generation: 0 }
    expect(other.verify(one.issueUser(account).accessToken)).toMatchObject({ userId: 7 })
    expect(one.verify(other.issueUser(account).accessToken)).toBe('invalid')
    expect(readdirSync(dataDir)).toEqual([])
  } finally {
    rmSync(elsewhere, { recursive: true })
  }
})

test('beside TOKEN_SECRET the keys of the folder verify until their tokens have ended, and sign nothing', () => {
  const account = { id: 7, generation: 0 }
  const old = openTokens({ dataDir, clock })
  const { accessToken } = old.issueSession(account, session)
  const forged = () => {
    const iat = Math.floor(now.getTime() / 1_000)
    return forge({}, { sub: '7', kind: 'user', iat, exp: iat + 60, jti: 'x' })
  }
  const secrets = ['1a'.repeat(32)]
  const tokens = openTokens({ dataDir, clock, secrets })
  expect(tokens.verify(accessToken)).toMatchObject({ userId: 7, sessionId: session })
  expect(old.verify(tokens.issueUser(account).accessToken)).toBe('invalid')
  now = new Date(now.getTime() + 7 * day - 1_000)
  expect(openTokens({ dataDir, clock, secrets }).verify(accessToken)).toMatchObject({ userId: 7 })
  expect(statSync(join(dataDir, 'token-keys.json')).mode & 0o777).toBe(0o600)
  now = new Date(now.getTime() + day + 1_000)
  for (const late of [tokens, openTokens({ dataDir, clock, secrets })]) expect(late.verify(forged())).toBe('invalid')
})
