import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifyAudit } from '../../src/adapters/storage/audit/verify-audit.ts'
import { openDatabase } from '../../src/adapters/storage/connection/database.ts'
import { AuditEntity } from '../../src/adapters/storage/entities/audit.ts'
import { output, refusalOf } from '../clients/client.ts'
import { dataFolder } from '../data-folder.ts'
import { newAccount, openWorld, password, protocols, type World } from '../world.ts'

let world: World
const folder = dataFolder()
beforeAll(async () => {
  world = await openWorld({ DATA_DIR: folder.path, RATE_LIMITS: 'on', RATE_RULES: 'register=1000/60,keys=1000/60' })
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

/** The three operations of a session that ask for the password. */
const asks = [
  ['trading.exportWallet', { wallet_ref: 'default', keystore_password: 'x'.repeat(12), account_password: 'a guess' }],
  ['auth.changePassword', { current_password: 'a guess', new_password: 'battery horse correct' }],
  ['auth.deleteAccount', { password: 'a guess', keys_exported: true }],
] as const

test.each(protocols)('over %s ten wrong passwords end the session that sent them, and slow nobody else', async (by) => {
  const client = world.clients[by]
  const ada = await newAccount(client)
  const admin = await output(client.call('auth.createSession', { grant: { scopes: ['admin', 'read'] } }, ada.userToken))
  const token: string = admin.token.access_token
  const stream = refusalOf(client.stream('trading.watchAccount', {}, token))
  for (let guess = 0; guess < 10; guess += 1) {
    const [id, input] = asks[guess % asks.length] ?? asks[0]
    expect([guess, await client.call(id, input, token)]).toMatchObject([guess, { code: 'PERMISSION_DENIED' }])
  }
  expect(await client.call('auth.whoAmI', {}, token)).toMatchObject({ code: 'UNAUTHENTICATED' })
  expect(await stream).toMatchObject({ code: 'UNAUTHENTICATED' })

  // The owner's other ways in know nothing of it.
  const listed = await output(client.call('auth.listSessions', {}, ada.userToken))
  expect(listed.map((one: { session_id: string }) => one.session_id)).toEqual([ada.sessionId])
  const own = { wallet_ref: 'default', keystore_password: 'x'.repeat(12), account_password: password }
  expect(await client.call('trading.exportWallet', own, ada.token)).toMatchObject({ ok: true })
  expect(await client.call('auth.login', { username: ada.email, password })).toMatchObject({ ok: true })
  const change = { current_password: password, new_password: 'battery horse correct' }
  expect(await client.call('auth.changePassword', change, ada.userToken)).toMatchObject({ ok: true })
})

test('a right password takes nothing, and the end of a session is in the audit log', async () => {
  const client = world.clients.rest
  const ada = await newAccount(client)
  const [, wrong] = asks[1]
  for (let guess = 0; guess < 9; guess += 1) await client.call('auth.changePassword', wrong, ada.token)
  const own = { wallet_ref: 'default', keystore_password: 'x'.repeat(12), account_password: password }
  for (let right = 0; right < 3; right += 1)
    expect(await client.call('trading.exportWallet', own, ada.token)).toMatchObject({ ok: true })
  expect(await client.call('auth.changePassword', wrong, ada.token)).toMatchObject({ code: 'PERMISSION_DENIED' })
  expect(await client.call('auth.whoAmI', {}, ada.token)).toMatchObject({ code: 'UNAUTHENTICATED' })

  await using database = await openDatabase({ url: null, dataDir: folder.path })
  const rows = await database.tables.find(AuditEntity, { subject: `session:${ada.sessionId}` })
  expect(rows.map(({ kind, facts }) => [kind, JSON.parse(facts)])).toEqual([
    ['account', { session: '', ended: 'too many wrong passwords' }],
  ])
  expect(await verifyAudit(database, [])).toMatchObject({ broken: null })
})
