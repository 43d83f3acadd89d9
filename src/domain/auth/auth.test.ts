import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { clockAt } from '../../../test/clock.ts'
import { createPasswords } from '../../adapters/accounts/passwords.ts'
import { openTokens } from '../../adapters/accounts/tokens.ts'
import { createGuesses } from '../../adapters/limits/guesses.ts'
import { createMemoryLimiter } from '../../adapters/limits/memory.ts'
import { openAccounts } from '../../adapters/storage/accounts/accounts.ts'
import { openKnownAddresses } from '../../adapters/storage/accounts/known-addresses.ts'
import { openSessions } from '../../adapters/storage/accounts/sessions.ts'
import { openWallets } from '../../adapters/storage/accounts/wallets.ts'
import { type Database, openDatabase } from '../../adapters/storage/connection/database.ts'
import { openExecutions } from '../../adapters/storage/trading/executions.ts'
import { randomIds } from '../../adapters/system/system.ts'
import type { Auth } from '../../contract/shared/operation.ts'
import { authenticate as authenticateCaller } from '../../gateway/authenticate.ts'
import { callOf, type Principal } from '../core/handler.ts'
import { handlers } from '../index.ts'
import type { Ports } from '../ports/index.ts'

const { auth } = handlers

let database: Database
let dataDir = ''
let ports: Ports
let now = new Date()
let wallets = 0

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'trident-auth-'))
  database = await openDatabase({ url: null, dataDir })
  now = new Date('2026-03-01T10:00:00.987Z')
  const clock = clockAt(() => now)
  const treasury = `0x${'f'.repeat(40)}` as const
  const generate = (_userId: number, ref: string) =>
    ({ ref, address: `0x${String(++wallets).padStart(40, '0')}`, sealedKey: 'sealed' }) as const
  ports = {
    accounts: openAccounts(database),
    clock,
    executions: openExecutions(database),
    grants: { chainId: 84_532, amounts: [], forAccount: (to: string) => ({ to, data: '0x', value: 0n }) },
    ids: randomIds,
    knownAddresses: openKnownAddresses(database, (failure) => expect.unreachable(String(failure))),
    passwords: createPasswords(createGuesses('off', createMemoryLimiter(), clock)),
    sessions: openSessions(database),
    signer: { treasury, generate },
    tokens: openTokens({ dataDir, clock }),
    wallets: openWallets(database),
  } as unknown as Ports // signing in uses no other ports
})
afterEach(async () => {
  await database[Symbol.asyncDispose]()
  rmSync(dataDir, { recursive: true })
})

async function authenticate(ports: Ports, token: string | null, auth: Auth): Promise<Principal | null> {
  return await authenticateCaller(ports, { token, isUnread: false }, auth)
}

/** A call by the holder of a token, as the gateway makes it. */
async function by(token: string | null): Promise<never> {
  const principal = token === null ? null : await authenticate(ports, token, 'any')
  const signal = new AbortController().signal
  const fields = {
    principal,
    requestId: 'r',
    clientAddress: '127.0.0.1',
    ownAddress: '127.0.0.1',
    signal,
    markReplayed() {},
    nameStream() {},
  }
  return callOf<unknown>(fields as never) as never
}

const credentials = { email: 'Ada@Example.com', password: 'correct horse battery' }

async function registered(): Promise<string> {
  return (await auth.register(ports, credentials, await by(null))).token.access_token
}

test('registration creates the account, a wallet to be funded and a token that manages sessions', async () => {
  const user = await auth.register(ports, credentials, await by(null))
  expect(user).toMatchObject({
    email: 'ada@example.com',
    token: { token_type: 'bearer', expires_at: '2026-03-02T10:00:00.000Z' },
  })
  expect(await ports.wallets.find(user.id, 'default')).toMatchObject({ funding: 'wanted' })
  expect(await authenticate(ports, user.token.access_token, 'user')).toMatchObject({ userId: user.id, sessionId: null })
})

test('an e-mail address has one account, whatever its case and however many requests are concurrent', async () => {
  const register = async (email: string) => await auth.register(ports, { ...credentials, email }, await by(null))
  const results = await Promise.allSettled(['ada@example.com', 'ADA@example.com', 'Ada@Example.Com'].map(register))
  expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1)
  await expect(register('adA@example.com')).rejects.toMatchObject({ code: 'ALREADY_EXISTS' })
})

test('login returns the same error for an unknown account and for a wrong password', async () => {
  await registered()
  const login = async (username: string, password: string) =>
    await auth.login(ports, { username, password }, await by(null))
  expect(await login('ADA@example.com', credentials.password)).toMatchObject({ token_type: 'bearer' })
  const refusals = await Promise.allSettled([
    login('ada@example.com', `${credentials.password} `),
    login('nobody@example.com', credentials.password),
    login("' or 1=1 --", credentials.password),
  ])
  const refused = {
    status: 'rejected',
    reason: { code: 'UNAUTHENTICATED', message: 'The e-mail or the password is wrong.' },
  }
  expect(refusals).toMatchObject([refused, refused, refused])
})

test('a session and its token are valid from creation to deletion', async () => {
  const token = await registered()
  const session = await auth.createSession(ports, {}, await by(token))
  expect(session).toMatchObject({
    name: '',
    created_at: now.toISOString(),
    token: { expires_at: '2026-03-08T10:00:00.000Z' },
  })
  const own = session.token.access_token
  expect(await authenticate(ports, own, 'session')).toMatchObject({ sessionId: session.session_id })
  const renamed = await auth.renameSession(ports, { session_id: session.session_id, name: 'Möre' }, await by(own))
  expect(renamed).toMatchObject({ session_id: session.session_id, name: 'Möre', created_at: now.toISOString() })
  expect(renamed).not.toHaveProperty('token')
  expect(await auth.deleteSession(ports, { session_id: session.session_id }, await by(own))).toEqual({})
  await expect(authenticate(ports, own, 'session')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
  const again = auth.deleteSession(ports, { session_id: session.session_id }, await by(token))
  await expect(again).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('sessions are listed newest first, with tokens only for a caller with a user token', async () => {
  const token = await registered()
  const first = await auth.createSession(ports, {}, await by(token))
  now = new Date(now.getTime() + 1)
  const second = await auth.createSession(ports, {}, await by(token))
  const listed = await auth.listSessions(ports, {}, await by(token))
  expect(listed.map((entry) => entry.session_id)).toEqual([second.session_id, first.session_id])
  const principal = await authenticate(ports, listed[1]?.token?.access_token ?? null, 'session')
  expect(principal).toMatchObject({ sessionId: first.session_id } satisfies Partial<Principal>)
  const seen = await auth.listSessions(ports, {}, await by(first.token.access_token))
  for (const entry of seen) expect(entry).not.toHaveProperty('token')
})

test('NOT_FOUND for a session of another account, and PERMISSION_DENIED for a sibling of the session of a token', async () => {
  const mine = await registered()
  const other = await auth.register(ports, { ...credentials, email: 'bob@example.com' }, await by(null))
  const [a, b] = [
    await auth.createSession(ports, {}, await by(mine)),
    await auth.createSession(ports, {}, await by(mine)),
  ]
  const refusals = [
    [other.token.access_token, { code: 'NOT_FOUND' }],
    [b.token.access_token, { code: 'PERMISSION_DENIED', message: expect.stringContaining('that session only') }],
  ] as const
  for (const [token, refusal] of refusals) {
    const input = { session_id: a.session_id }
    await expect(auth.deleteSession(ports, input, await by(token))).rejects.toMatchObject(refusal)
    await expect(auth.renameSession(ports, { ...input, name: 'x' }, await by(token))).rejects.toMatchObject(refusal)
  }
  expect(await ports.sessions.find(a.session_id)).toMatchObject({ name: '' })
})

test('tokens end with their generation, and those of the next one are accepted', async () => {
  const token = await registered()
  const { userId } = (await authenticate(ports, token, 'user')) ?? { userId: 0 }
  expect(await auth.logoutEverywhere(ports, {}, await by(token))).toEqual({})
  await expect(authenticate(ports, token, 'user')).rejects.toThrow(/were ended.*Log in by auth.login/)
  const next = ports.tokens.issueUser({ id: userId, generation: 1 }).accessToken
  expect(await authenticate(ports, next, 'user')).toMatchObject({ userId, generation: 1 })
})

test('an account has at most 50 sessions, and deleting one makes room', async () => {
  const call = await by(await registered())
  const sessions = await Promise.all(Array.from({ length: 50 }, () => auth.createSession(ports, {}, call)))
  const refused = { code: 'FAILED_PRECONDITION', message: expect.stringContaining('at most 50 sessions') }
  await expect(auth.createSession(ports, {}, call)).rejects.toMatchObject(refused)
  await auth.deleteSession(ports, { session_id: sessions[0]!.session_id }, call)
  await auth.createSession(ports, {}, call)
})

test('a token of the wrong kind, an invalid one and a missing one are refused with an instruction', async () => {
  const user = await registered()
  const session = (await auth.createSession(ports, {}, await by(user))).token.access_token
  const signIn = async (token: string | null, who: 'user' | 'session' | 'any') => await authenticate(ports, token, who)
  await expect(signIn(user, 'session')).rejects.toThrow(
    'The token is a user token. This operation needs a session token from auth.createSession.',
  )
  await expect(signIn(session, 'user')).rejects.toThrow(
    'The token is a session token. This operation needs a user token from auth.login or auth.register.',
  )
  await expect(signIn('x', 'any')).rejects.toThrow('The token is not one of this gateway.')
  await expect(authenticateCaller(ports, { token: null, isUnread: true }, 'any')).rejects.toThrow(
    /lacks the word Bearer/,
  )
  for (const token of [null, '', 'x', `${user}x`]) {
    await expect(signIn(token, 'any')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
  }
  expect(await authenticate(ports, 'anything', 'none')).toBeNull()
  now = new Date(now.getTime() + 7 * 86_400_000)
  await expect(signIn(session, 'session')).rejects.toThrow(
    'The token has expired. Get a session token from auth.createSession.',
  )
})

test('a token that is older than its account is refused: it was issued over another database', async () => {
  const { userId } = (await authenticate(ports, await registered(), 'user')) ?? { userId: 0 }
  now = new Date(now.getTime() - 60_000)
  const older = ports.tokens.issueUser({ id: userId, generation: 0 }).accessToken
  await expect(authenticate(ports, older, 'user')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
  const withoutAccount = ports.tokens.issueUser({ id: userId + 1, generation: 0 }).accessToken
  await expect(authenticate(ports, withoutAccount, 'any')).rejects.toThrow(/account of this token does not exist/)
})
