import { expect, test, vi } from 'vitest'
import { openAccounts, restoreAccount } from '../../src/adapters/storage/accounts/accounts.ts'
import { openKnownAddresses } from '../../src/adapters/storage/accounts/known-addresses.ts'
import { openSessions } from '../../src/adapters/storage/accounts/sessions.ts'
import { openWallets } from '../../src/adapters/storage/accounts/wallets.ts'
import { verifyAudit } from '../../src/adapters/storage/audit/verify-audit.ts'
import { deletedAccountMs, knownAddressMs } from '../../src/domain/ports/accounts.ts'
import { eachDatabase } from './databases.ts'
import { addAccount, addSession, at, walletOf } from './rows.ts'

const fields = (email: string, number: number) =>
  ({ email, passwordHash: `hash ${number}`, wallet: () => walletOf(number), funding: 'wanted', at }) as const

eachDatabase('accounts', (open) => {
  test('an account is found by its e-mail in any case, with its default wallet', async () => {
    const database = await open()
    const accounts = openAccounts(database)
    const created = await accounts.create(fields('Ada@Example.com', 1))
    expect(created).toEqual({ id: expect.any(Number), email: 'ada@example.com', createdAt: at, generation: 0 })
    expect(await accounts.findByEmail('ADA@example.COM')).toEqual({ ...created, passwordHash: 'hash 1' })
    expect(await accounts.find(created!.id)).toEqual(created)
    expect(await accounts.find(created!.id + 1)).toBeNull()
    expect(await openWallets(database).find(created!.id, 'default')).toMatchObject({ funding: 'wanted', createdAt: at })
  })

  test('of simultaneous registrations of one e-mail exactly one wins, and the others leave no wallet', async () => {
    const accounts = [openAccounts(await open()), openAccounts(await open())]
    const tries = Array.from({ length: 8 }, (_, index) =>
      accounts[index % 2]!.create(fields(index % 3 === 0 ? 'ada@example.com' : 'ADA@example.com', index + 1)),
    )
    const winners = (await Promise.all(tries)).filter((account) => account !== null)
    expect(winners).toHaveLength(1)
    expect(await openWallets(await open()).unfunded(at, 0, 9)).toHaveLength(1)
  })

  test('a change of password begins a generation, and of simultaneous changes from one password one counts', async () => {
    const databases = [await open(), await open()]
    const [accounts, others] = databases.map((database) => openAccounts(database, 20))
    const ada = await accounts!.create(fields('ada@example.com', 1))
    const ended = [vi.fn(), vi.fn(), vi.fn()]
    accounts!.onTokensEnded(ada!.id, 0, ended[0]!)
    others!.onTokensEnded(ada!.id, 0, ended[1]!)
    others!.onTokensEnded(ada!.id, 1, ended[2]!)
    const changes = [accounts!, others!, accounts!].map((store, index) =>
      store.changePassword(ada!.id, 'hash 1', `hash ${index + 2}`),
    )
    expect((await Promise.all(changes)).toSorted()).toEqual([1, null, null])
    expect(await accounts!.passwordHash(ada!.id)).toMatch(/^hash [234]$/)
    expect(await others!.find(ada!.id)).toMatchObject({ generation: 1 })
    await vi.waitFor(() => expect(ended.map((each) => each.mock.calls.length)).toEqual([1, 1, 0]))
    await others!.endTokens(ada!.id)
    expect(await accounts!.find(ada!.id)).toMatchObject({ generation: 2 })
    await vi.waitFor(() => expect(ended[2]).toHaveBeenCalledOnce())
  })

  test('a revoked token stays revoked until it would have expired, in every process', async () => {
    const databases = [await open(), await open()]
    const [accounts, others] = databases.map((database) => openAccounts(database, 20))
    const sessionId = await addSession(databases[0]!, await addAccount(databases[0]!))
    const heard = vi.fn()
    others!.onRevoked('one', heard)
    const expiresAt = new Date(at.getTime() + 60_000)
    await accounts!.revoke({ id: 'one', expiresAt }, at)
    await accounts!.revoke({ id: 'one', expiresAt }, at)
    expect([await others!.isRevoked('one'), await others!.isRevoked('two')]).toEqual([true, false])
    await vi.waitFor(() => expect(heard).toHaveBeenCalledOnce())
    const sessions = openSessions(databases[1]!)
    expect(await sessions.check(sessionId, 'one')).toEqual({ generation: 0, revoked: true, grant: null })
    expect(await sessions.check(sessionId, 'two')).toEqual({ generation: 0, revoked: false, grant: null })
    await accounts!.revoke({ id: 'two', expiresAt }, new Date(expiresAt.getTime() + 1))
    expect([await others!.isRevoked('one'), await others!.isRevoked('two')]).toEqual([false, true])
  })

  test('the keys of a deleted account are erased after their time, and it cannot be restored from then on', async () => {
    const database = await open()
    const accounts = openAccounts(database, 20)
    const wallets = openWallets(database)
    const [ada, bob] = [await addAccount(database, 1), await addAccount(database, 2)]
    await addSession(database, ada)
    const ended = vi.fn()
    accounts.onTokensEnded(ada, 0, ended)
    expect(await accounts.delete(ada, 'another hash', at)).toBeNull()
    expect(await accounts.delete(ada, 'hash', at)).toBe('deleted')
    expect(await accounts.delete(ada, 'hash', at)).toBeNull()
    expect(ended).toHaveBeenCalledOnce()
    expect([
      await accounts.find(ada),
      await accounts.passwordHash(ada),
      await openSessions(database).list(ada),
    ]).toEqual([null, null, []])
    const later = new Date(at.getTime() + 1)
    const last = new Date(at.getTime() + deletedAccountMs)
    expect(await accounts.purge(at, 9)).toBe(0)
    expect(await wallets.sealedKey(walletOf(1).address)).toEqual({ userId: ada, sealedKey: 'sealed 1' })
    await restoreAccount(database, ada, 'Ada@example.com', last)
    expect(await accounts.findByEmail('ada@example.com')).toMatchObject({
      id: ada,
      passwordHash: 'hash',
      generation: 2,
    })
    expect(await accounts.delete(ada, 'hash', at)).toBe('deleted')
    expect([await accounts.purge(later, 9), await accounts.purge(later, 9)]).toEqual([1, 0])
    expect([await wallets.sealedKey(walletOf(1).address), await wallets.sealedKey(walletOf(2).address)]).toEqual([
      null,
      { userId: bob, sealedKey: 'sealed 2' },
    ])
    await expect(restoreAccount(database, ada, 'ada@example.com', at)).rejects.toThrow('was not deleted')
    await expect(restoreAccount(database, bob, 'bob@example.com', at)).rejects.toThrow('was not deleted')
    expect(await verifyAudit(database, [])).toMatchObject({ entries: 4, broken: null })
  })

  test('an address that an account was used from is known, and others are not', async () => {
    const database = await open()
    const failed = vi.fn()
    const known = openKnownAddresses(database, failed)
    const accounts = openAccounts(database)
    const [ada, bob] = [await addAccount(database, 1), await addAccount(database, 2)]
    await known.note(ada, '192.0.2.1', at)
    await known.note(ada, '192.0.2.1', at)
    const has = async (user: number | null, address: string, now = at) => await known.has(user, address, now)
    expect([await has(ada, '192.0.2.1'), await has(bob, '192.0.2.1'), await has(null, '192.0.2.1')]).toEqual([
      true,
      false,
      false,
    ])
    for (let day = 1; day <= 20; day += 1)
      await known.note(ada, `192.0.2.${day + 1}`, new Date(at.getTime() + day * 86_400_000))
    expect([await has(ada, '192.0.2.1'), await has(ada, '192.0.2.2')], 'the latest 20 are kept').toEqual([false, true])
    const later = new Date(at.getTime() + 105 * 86_400_000)
    const still = [await has(ada, '192.0.2.14', later), await has(ada, '192.0.2.20', later)]
    expect(still, 'for 90 days').toEqual([false, true])
    const before = new Date(later.getTime() - knownAddressMs)
    expect([await known.purge(before, 5), await known.purge(before, 99)]).toEqual([5, 9])
    expect([await has(ada, '192.0.2.14'), await has(ada, '192.0.2.20')]).toEqual([false, true])
    await accounts.delete(ada, 'hash', at)
    await known.note(ada, '192.0.2.200', at)
    expect([await has(ada, '192.0.2.20'), await has(ada, '192.0.2.200')], 'of a deleted account').toEqual([true, false])
    expect(failed).not.toHaveBeenCalled()
  })

  test('two processes note addresses of one account at once, and none is lost', async () => {
    const stores = [await open(), await open()].map((database) =>
      openKnownAddresses(database, (failure) => expect.unreachable(String(failure))),
    )
    const ada = await addAccount(await open())
    for (let round = 0; round < 10; round += 1) {
      const addresses = stores.map((_, index) => `192.0.${round}.${index}`)
      await Promise.all(stores.map(async (store, index) => await store.note(ada, addresses[index]!, at)))
      for (const address of addresses) expect(await stores[0]!.has(ada, address, at)).toBe(true)
    }
  })

  test('a request that was admitted before a deletion changes nothing of the account', async () => {
    const database = await open()
    const [accounts, sessions, wallets] = [openAccounts(database), openSessions(database), openWallets(database)]
    const ada = await addAccount(database)
    expect(await accounts.delete(ada, 'hash', at)).toBe('deleted')
    expect(await accounts.changePassword(ada, 'hash', 'another hash')).toBeNull()
    const refused = { code: 'UNAUTHENTICATED' }
    const session = { id: crypto.randomUUID(), userId: ada, name: '', createdAt: at, grant: null }
    await expect(sessions.create(session, 50)).rejects.toMatchObject(refused)
    await expect(wallets.create(ada, walletOf(9, 'brought'), 'none', at, 9)).rejects.toMatchObject(refused)
    await restoreAccount(database, ada, 'ada@example.com', at)
    expect(await accounts.findByEmail('ada@example.com')).toMatchObject({ passwordHash: 'hash', generation: 2 })
  })

  test('a wallet that cannot be stored leaves no account, and its error is not mistaken for a taken e-mail', async () => {
    const accounts = openAccounts(await open())
    await accounts.create(fields('ada@example.com', 1))
    await expect(accounts.create(fields('bob@example.com', 1))).rejects.toThrow()
    expect(await accounts.findByEmail('bob@example.com')).toBeNull()
  })
})

eachDatabase('sessions', (open) => {
  test('are listed newest first, per account', async () => {
    const database = await open()
    const sessions = openSessions(database)
    const [ada, bob] = [await addAccount(database, 1), await addAccount(database, 2)]
    const made = [0, 1, 2].map((minute) => ({
      id: crypto.randomUUID(),
      userId: ada,
      name: `n${minute}`,
      createdAt: new Date(at.getTime() + minute * 60_000),
      grant:
        minute === 0
          ? null
          : {
              scopes: ['read', 'trade'] as const,
              maxTradeUsd: 5n * 10n ** 17n,
              maxDailyUsd: null,
              confirmAboveUsd: BigInt(minute - 1) * 10n ** 18n,
              overMcp: minute > 1 ? ('above_threshold' as const) : ('every_trade' as const),
            },
    }))
    const unused = { expiresAt: null, lastUse: null }
    for (const session of made) expect(await sessions.create(session, 50)).toEqual({ ...session, ...unused })
    await addSession(database, bob)
    expect(await sessions.list(ada)).toEqual(made.toReversed().map((session) => ({ ...session, ...unused })))
  })

  test('show their newest use from memory, and to another process once it is written', async () => {
    const [database, other] = [await open(), await open()]
    const [here, there] = [openSessions(database), openSessions(other)]
    const user = await addAccount(database)
    const id = await addSession(database, user)
    const use = { at: new Date(at.getTime() + 1_000), protocol: 'grpc', address: '203.0.113.5' }
    const [early, late] = [new Date(at.getTime() + 60_000), new Date(at.getTime() + 90_000)]
    here.note(id, late, use)
    here.note(id, early)
    expect(await here.find(id)).toMatchObject({ expiresAt: late, lastUse: use })
    expect(await there.find(id)).toMatchObject({ expiresAt: null, lastUse: null })
    await here[Symbol.asyncDispose]()
    expect(await there.list(user)).toMatchObject([{ id, expiresAt: late, lastUse: use }])
    // What another process noted earlier does not take its place.
    there.note(id, early, { ...use, at, protocol: 'rest' })
    await there[Symbol.asyncDispose]()
    expect(await here.list(user)).toMatchObject([{ id, expiresAt: late, lastUse: use }])
  })

  test('simultaneous creations over several processes stay within the limit', async () => {
    const databases = [await open(), await open()]
    const userId = await addAccount(databases[0]!)
    const stores = databases.map((database) => openSessions(database))
    const tries = Array.from({ length: 12 }, (_, index) =>
      stores[index % 2]!.create({ id: crypto.randomUUID(), userId, name: '', createdAt: at, grant: null }, 5),
    )
    expect((await Promise.all(tries)).filter((session) => session !== null)).toHaveLength(5)
    expect(await stores[0]!.list(userId)).toHaveLength(5)
  })

  test('rename answers the changed session, or null where there is none', async () => {
    const database = await open()
    const sessions = openSessions(database)
    const id = await addSession(database, await addAccount(database))
    expect(await sessions.rename(id, "it's 100 % ? $1 \\ \u{1F600}\u0000")).toMatchObject({
      id,
      name: "it's 100 % ? $1 \\ \u{1F600}\uFFFD",
    })
    expect(await sessions.rename('no-such-session', 'x')).toBeNull()
    expect(await sessions.find('no-such-session')).toBeNull()
  })

  test('a deleted session is gone at once for every process, and listeners are notified once', async () => {
    const [here, there] = [await open(), await open()]
    const id = await addSession(here, await addAccount(here))
    const [sessions, others] = [openSessions(here), openSessions(there, 20)]
    const [own, foreign, ended] = [vi.fn(), vi.fn(), vi.fn()]
    sessions.onDeleted(id, own)
    others.onDeleted(id, foreign)
    sessions.onDeleted(id, ended)()
    const live = { generation: 0, revoked: false, grant: null }
    expect([await sessions.check(id, 'token'), await others.check(id, 'token')]).toEqual([live, live])
    expect(await sessions.delete(id)).toBe(true)
    expect([await sessions.check(id, 'token'), await others.check(id, 'token')]).toEqual([null, null])
    expect(own).toHaveBeenCalledOnce()
    await vi.waitFor(() => expect(foreign).toHaveBeenCalledOnce())
    expect(ended).not.toHaveBeenCalled()
    const late = vi.fn()
    sessions.onDeleted(id, late)
    await vi.waitFor(() => expect(late).toHaveBeenCalledOnce())
    expect(await sessions.delete(id)).toBe(false)
    expect(own).toHaveBeenCalledOnce()
  })
})

eachDatabase('wallets', (open) => {
  test('simultaneous creations stay within the limit, and a reference is used once', async () => {
    const databases = [await open(), await open()]
    const userId = await addAccount(databases[0]!, 99)
    const stores = databases.map((database) => openWallets(database))
    const tries = Array.from({ length: 8 }, (_, index) =>
      stores[index % 2]!.create(userId, walletOf(index, `w${index}`), 'none', at, 4),
    )
    const made = (await Promise.all(tries)).filter((wallet) => wallet !== null)
    expect(made).toHaveLength(3)
    expect(await stores[0]!.create(userId, walletOf(50), 'none', at, 10)).toBe('taken')
    expect((await stores[0]!.list(userId)).map((wallet) => wallet.ref)[0]).toBe('default')
  })

  test('are found by address in any case, with their sealed key', async () => {
    const database = await open()
    const wallets = openWallets(database)
    const userId = await addAccount(database, 7)
    const wallet = (await wallets.find(userId, 'default'))!
    expect(wallet.address).toBe(walletOf(7).address)
    const upper = `0x${wallet.address.slice(2).toUpperCase()}` as const
    expect(await wallets.findByAddress(upper)).toEqual(wallet)
    expect(await wallets.sealedKey(upper)).toEqual({ userId, sealedKey: 'sealed 7' })
    expect(await wallets.sealedKey(walletOf(8).address)).toBeNull()
    expect(await wallets.find(userId + 1, 'default')).toBeNull()
  })

  test('are unfunded until their money is sent, and again when a failed payment is due', async () => {
    const database = await open()
    const wallets = openWallets(database)
    const wallet = (await wallets.find(await addAccount(database), 'default'))!
    expect(await wallets.unfunded(at, 0, 9)).toEqual([wallet])
    expect(await wallets.unfunded(at, wallet.id, 9)).toEqual([])
    await wallets.setFunding(wallet.id, 'sent')
    expect(await wallets.unfunded(at, 0, 9)).toEqual([])
    const fundingFailure = { tries: 3, mined: 1, why: 'why', retryAt: new Date(at.getTime() + 1) }
    await wallets.setFunding(wallet.id, 'failed', fundingFailure)
    expect(await wallets.unfunded(at, 0, 9)).toEqual([])
    expect(await wallets.unfunded(fundingFailure.retryAt, 0, 9)).toEqual([
      { ...wallet, funding: 'failed', fundingFailure },
    ])
    const failed = (await wallets.find(wallet.userId, 'default'))!
    expect(await Promise.all([wallets.retryFunding(failed), wallets.retryFunding(failed)])).toContain(false)
    expect((await wallets.load(wallet.id))?.funding).toBe('wanted')
    await wallets.setFunding(wallet.id, 'failed', { ...fundingFailure, tries: 4 })
    expect(await wallets.retryFunding(failed), 'another process paid, and failed, meanwhile').toBe(false)
    await wallets.setFunding(wallet.id, 'done')
    expect(await wallets.retryFunding({ ...failed, fundingFailure: { ...fundingFailure, tries: 4 } })).toBe(false)
    await wallets.setFunding(wallet.id, 'failed', { ...fundingFailure, retryAt: null })
    expect(await wallets.unfunded(fundingFailure.retryAt, 0, 9)).toEqual([])
  })
})
