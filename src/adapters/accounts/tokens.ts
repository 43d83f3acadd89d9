import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { Account, TokenClaims, Tokens } from '../../domain/ports/accounts.ts'
import type { Clock } from '../../domain/ports/system.ts'
import { readTokenKeys, type TokenKey, tokenKeysOf } from './token-keys.ts'

const lifetimeSeconds = { user: 24 * 3_600, session: 7 * 24 * 3_600 } as const

/** The most characters of a token; a longer text is refused without parsing. */
const longestToken = 1_024

/** How many verified signatures are cached. */
const rememberedTokens = 10_000

const header = z.strictObject({ alg: z.literal('HS256'), typ: z.literal('JWT'), kid: z.string().max(64) })

const userId = z
  .string()
  .regex(/^[1-9]\d{0,9}$/)
  .transform(Number)
const common = {
  sub: userId,
  iat: z.int().max(8_640_000_000_000),
  exp: z.int().max(8_640_000_000_000),
  jti: z.string(),
  /** Absent in tokens of earlier versions. */
  gen: z.int().min(0).default(0),
}
const claims = z.discriminatedUnion('kind', [
  z.strictObject({ ...common, kind: z.literal('user') }),
  z.strictObject({ ...common, kind: z.literal('session'), sid: z.string().min(1) }),
])

type TokenSettings = {
  dataDir: string
  clock: Clock
  /** Those of TOKEN_SECRET, in hex. */
  secrets?: readonly string[] | undefined
}

/**
 * JSON Web Tokens signed with HS256 by the first of the secrets, or by the keys in the data directory where there are none.
 * The header's `kid` selects the key, so that keys can be rotated.
 */
export function openTokens({ dataDir, clock, secrets = [] }: TokenSettings): Tokens {
  let keys = tokenKeysOf(dataDir, secrets, clock.now())
  let readAt = Number.NEGATIVE_INFINITY
  const checked = new Map<string, TokenClaims>()

  function issue(kind: 'user' | 'session', account: Pick<Account, 'id' | 'generation'>, sid?: string) {
    const [key] = keys
    if (key === undefined) throw new Error('the gateway has no key to sign tokens with')
    const iat = Math.floor(clock.now().getTime() / 1_000)
    const exp = iat + lifetimeSeconds[kind]
    const { id, generation: gen } = account
    const payload = { sub: String(id), kind, ...(sid === undefined ? {} : { sid }), iat, exp, jti: randomUUID(), gen }
    const body = `${encode({ alg: 'HS256', typ: 'JWT', kid: key.kid })}.${encode(payload)}`
    return { accessToken: `${body}.${sign(body, key).toString('base64url')}`, expiresAt: new Date(exp * 1_000) }
  }

  function keyOf(kid: string): TokenKey | undefined {
    const known = keys.find((key) => key.kid === kid)
    if (known?.until !== undefined && known.until <= clock.now()) return undefined
    if (known !== undefined || secrets.length > 0) return known
    // Another process may have rotated the keys. The file is not read again for every unknown kid, because callers can
    // invent them.
    const now = clock.now().getTime()
    if (now - readAt < 1_000) return undefined
    readAt = now
    keys = readTokenKeys(dataDir) ?? keys
    return keys.find((key) => key.kid === kid)
  }

  /** The claims of a token with a valid signature, expired or not. */
  function check(token: string): TokenClaims | null {
    if (token.length > longestToken) return null
    const [head = '', payload = '', signature = '', ...rest] = token.split('.')
    if (rest.length > 0) return null
    const key = keyOf(header.safeParse(decode(head)).data?.kid ?? '')
    if (key === undefined || !sameSignature(signature, sign(`${head}.${payload}`, key))) return null
    const read = claims.safeParse(decode(payload)).data
    if (read === undefined) return null
    const [issuedAt, expiresAt] = [new Date(read.iat * 1_000), new Date(read.exp * 1_000)]
    const common = { id: read.jti, userId: read.sub, generation: read.gen, issuedAt, expiresAt }
    return read.kind === 'user'
      ? { kind: 'user', sessionId: null, ...common }
      : { kind: 'session', sessionId: read.sid, ...common }
  }

  return {
    issueUser: (account) => issue('user', account),
    issueSession: (account, sessionId) => issue('session', account, sessionId),
    verify(token) {
      const found = checked.get(token) ?? check(token)
      if (found === null) return 'invalid'
      // Deleted and inserted again, so that the map's order is the order of use and its first entry is evicted first.
      checked.delete(token)
      if (found.expiresAt <= clock.now()) return 'expired'
      checked.set(token, found)
      if (checked.size > rememberedTokens) checked.delete(checked.keys().next().value ?? '')
      return found
    },
  }
}

function sign(body: string, key: TokenKey): Buffer {
  return createHmac('sha256', Buffer.from(key.secret, 'base64url')).update(body).digest()
}

/** Compares in constant time, and accepts only the canonical base64url text of these bytes. */
function sameSignature(text: string, expected: Buffer): boolean {
  const given = Buffer.from(text)
  const wanted = Buffer.from(expected.toString('base64url'))
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

function decode(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
  } catch {
    return null
  }
}
