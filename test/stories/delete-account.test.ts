import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { verifyAudit } from '../../src/adapters/storage/audit/verify-audit.ts'
import { openForReading } from '../../src/adapters/storage/connection/open-for-reading.ts'
import { output, refusalOf } from '../clients/client.ts'
import { type PublicChain, settingsOf, startPublicChain } from '../trading/public-world.ts'
import { fundedAccount, newAccount, openWorld, password, protocols, type World } from '../world.ts'

const registration = (email: string) => ({ email, password })

describe('in the sandbox', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'trident-deleted-'))
  let world: World
  beforeAll(async () => {
    // A trade is final when the parent chain is some blocks further.
    world = await openWorld({ DATA_DIR: dataDir }, undefined, { parentBlockTimeSeconds: 1 })
  })
  afterAll(async () => {
    await world[Symbol.asyncDispose]()
    rmSync(dataDir, { recursive: true, force: true })
  })

  /** Runs the operator's command over the folder of the running gateway. */
  const restore = async (...words: string[]) =>
    await promisify(execFile)(process.execPath, ['scripts/restore-account.ts', ...words], {
      env: { ...process.env, DATA_DIR: dataDir },
    })

  test.each(protocols)('over %s a deleted account is gone with its tokens, streams and e-mail', async (protocol) => {
    const client = world.clients[protocol]
    const ada = await newAccount(world.clients.rest)
    const asked = { symbol: 'ETHUSDC', streams: ['trade'] }
    const { subscription_id } = await output(client.call('tools.subscribeExchange', asked, ada.token))
    const events = client.stream('tools.streamExchange', { subscription_id }, ada.token)
    await events.next()
    expect(await client.call('auth.deleteAccount', { password: 'a guess' }, ada.token)).toMatchObject({
      code: 'PERMISSION_DENIED',
    })
    const deleted = await output(client.call('auth.deleteAccount', { password }, ada.token))
    const days = (Date.parse(deleted.restorable_until) - Date.now()) / 86_400_000
    expect(Math.round(days)).toBe(30)
    expect(await refusalOf(events)).toMatchObject({ code: 'UNAUTHENTICATED' })
    for (const each of protocols)
      for (const token of [ada.token, ada.userToken])
        expect(await world.clients[each].call('auth.listSessions', {}, token)).toMatchObject({
          code: 'UNAUTHENTICATED',
        })
    for (const username of [ada.email, `deleted ${deleted.account_id}`])
      expect(await client.call('auth.login', { username, password })).toMatchObject({ code: 'UNAUTHENTICATED' })
    const again = await output(client.call('auth.register', registration(ada.email)))
    expect(again.id).not.toBe(deleted.account_id)
  })

  test('a deleted account can be restored once, under an e-mail that nobody has', async () => {
    const client = world.clients.rest
    const ada = await newAccount(client)
    const deleted = await output(client.call('auth.deleteAccount', { password }, ada.token))
    await output(client.call('auth.register', registration(ada.email)))
    const id = `${deleted.account_id}`
    await expect(restore('--id', id, '--email', ada.email)).rejects.toMatchObject({
      stderr: expect.stringContaining('Another account has this e-mail'),
    })
    const email = `back-${ada.email}`
    await restore('--id', id, '--email', email)
    const logins = protocols.map((each) => world.clients[each].call('auth.login', { username: email, password }))
    const [{ access_token }] = await Promise.all(logins.map(output))
    expect(await output(client.call('auth.listSessions', {}, access_token))).toEqual([])
    const session = await output(client.call('auth.createSession', {}, access_token))
    const [wallet] = await output(client.call('trading.listWallets', {}, session.token.access_token))
    expect(wallet.address).toBe(ada.wallet)
    await expect(restore('--id', id, '--email', email)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('was not deleted'),
    })
  })

  test('an account with a trade that is not final is kept, and the log of a deleted one verifies', async () => {
    const rest = world.clients.rest
    const ada = await fundedAccount(rest)
    await output(rest.call('trading.execute', ada.trade('WETH', 'USDC', '0.01', 'last'), ada.token))
    expect(await rest.call('auth.deleteAccount', { password }, ada.token)).toMatchObject({
      code: 'FAILED_PRECONDITION',
      message: expect.stringContaining('not final'),
    })
    await expect
      .poll(async () => (await rest.call('auth.deleteAccount', { password }, ada.token)).ok, { interval: 1_000 })
      .toBe(true)
    await using database = await openForReading({ url: null, dataDir })
    expect(await verifyAudit(database, [])).toMatchObject({ broken: null })
    const rows: unknown = await database.fork().getConnection().execute('select * from account')
    expect(JSON.stringify(rows)).not.toContain(ada.email)
  })
})

describe('on a public chain', () => {
  let chain: PublicChain
  let world: World | undefined
  beforeAll(async () => {
    chain = await startPublicChain()
  })
  afterEach(async () => await world?.[Symbol.asyncDispose]())
  afterAll(async () => await chain.close())

  test('an account whose wallet holds anything, or perhaps does, is kept unless its keys were exported', async () => {
    world = await openWorld(settingsOf(chain, {}))
    const rest = world.clients.rest
    const [empty, rich, unknown] = [await newAccount(rest), await newAccount(rest), await newAccount(rest)]
    await chain.anvil.call('anvil_setBalance', rich!.wallet, '0x1')
    const remove = async (token: string, more = {}) =>
      await rest.call('auth.deleteAccount', { password, ...more }, token)
    expect(await remove(rich!.token)).toMatchObject({
      code: 'FAILED_PRECONDITION',
      message: expect.stringMatching(/Wallet default holds ETH on .* keys_exported: true/),
    })
    expect(await remove(empty!.token)).toMatchObject({ ok: true })
    expect(await remove(rich!.token, { keys_exported: true })).toMatchObject({ ok: true })
    await chain.anvil.kill()
    expect(await remove(unknown!.token)).toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('keys_exported: true'),
    })
    expect(await remove(unknown!.token, { keys_exported: true })).toMatchObject({ ok: true })
  })
})
