import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { openAccounts } from '../../src/adapters/storage/accounts/accounts.ts'
import { openWallets } from '../../src/adapters/storage/accounts/wallets.ts'
import type { Database } from '../../src/adapters/storage/connection/database.ts'
import { WalletEntity } from '../../src/adapters/storage/entities/accounts.ts'
import { sealAnew } from '../../src/adapters/wallets/reseal.ts'
import { createSeal } from '../../src/adapters/wallets/seal.ts'
import { createSigner } from '../../src/adapters/wallets/signer.ts'
import type { Hex } from '../../src/domain/ports/chains.ts'
import { eachDatabase } from './databases.ts'

const [old, present, foreign] = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
]
const to = '0x0000000000000000000000000000000000000001'
const fees = { maxFeePerGas: 10n, maxPriorityFeePerGas: 1n }
const transaction = { chainId: 1, nonce: 0, to, data: '0x', value: 1n, gas: 21_000n, ...fees } as const

function signerOf(database: Database, masterKey: Uint8Array) {
  const { sealedKey } = openWallets(database)
  return createSigner({ masterKey, treasuryKey: null, sealedKey })
}

/** A key as the version before sealed it, with the key `old`: bound to the address alone. */
function sealedBefore(key: Uint8Array, { address }: { address: string }): string {
  const part = (purpose: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', old, new Uint8Array(0), `trident wallet ${purpose}`, bytes))
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', part('seal v2', 32), iv).setAAD(Buffer.from(address.toLowerCase()))
  const body = Buffer.concat([iv, cipher.update(key), cipher.final(), cipher.getAuthTag()])
  return `v2.${part('key id', 6).toString('hex')}.${body.toString('base64url')}`
}

/** Accounts with a wallet each, sealed with the old key, and one wallet of a remote signer. */
async function fill(database: Database, count: number): Promise<Hex[]> {
  const [accounts, wallets, signer] = [openAccounts(database), openWallets(database), signerOf(database, old)]
  const addresses: Hex[] = []
  for (let index = 0; index < count; index += 1) {
    const wallet = (userId: number) => signer.generate(userId, 'default')
    const fields = {
      email: `${index}@example.com`,
      passwordHash: 'x',
      wallet,
      funding: 'none',
      at: new Date(),
    } as const
    const account = await accounts.create(fields)
    addresses.push((await wallets.find(account!.id, 'default'))!.address)
    if (index === 0)
      await wallets.create(account!.id, { ref: 'vault', address: to, sealedKey: null }, 'none', new Date(), 10)
  }
  return addresses
}

eachDatabase('sealed keys', (open) => {
  test('are encrypted again with the current master key once the old one is given', async () => {
    const database = await open()
    const wallets = openWallets(database)
    const [address = to] = await fill(database, 3)
    const before = await wallets.sealedKey(address)
    const signed = await signerOf(database, old).sign(address, transaction)

    expect(await sealAnew(wallets, createSeal(present, [old]))).toBe(3)
    expect(await wallets.sealedKey(address)).not.toEqual(before)
    expect(await signerOf(database, present).sign(address, transaction)).toEqual(signed)
    await expect(signerOf(database, old).sign(address, transaction)).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
    })
    expect(await sealAnew(wallets, createSeal(present))).toBe(0)
    expect(await wallets.sealedKey(to)).toBeNull()
  })

  test('stop the start of a gateway with another master key, with advice, and stay unchanged', async () => {
    const database = await open()
    const wallets = openWallets(database)
    const [address = to] = await fill(database, 2)
    const before = await wallets.sealedKey(address)
    for (const seal of [createSeal(foreign), createSeal(foreign, [present])])
      await expect(sealAnew(wallets, seal)).rejects.toThrow(/as MASTER_KEY, or as master.key.*PREVIOUS_MASTER_KEY/)
    expect(await wallets.sealedKey(address)).toEqual(before)
  })

  test('cannot be exchanged in the database', async () => {
    const database = await open()
    const [one = to, two = to] = await fill(database, 2)
    const wallets = openWallets(database)
    const [first, second] = [(await wallets.sealedKey(one))?.sealedKey, (await wallets.sealedKey(two))?.sealedKey]
    const ids = await wallets.sealedOtherwise('nothing', 0)
    await wallets.replaceSealedKey(ids.find(({ address }) => address === one)!.id, first!, second!)
    await wallets.replaceSealedKey(ids.find(({ address }) => address === two)!.id, second!, first!)
    const signer = signerOf(database, old)
    for (const address of [one, two]) {
      await expect(signer.sign(address, transaction)).rejects.toMatchObject({ code: 'FAILED_PRECONDITION' })
      await expect(signer.exportKeystore(address, 'password')).rejects.toMatchObject({ code: 'FAILED_PRECONDITION' })
    }
    await expect(sealAnew(wallets, createSeal(present, [old]))).rejects.toThrow('sealed with another master key')
  })

  test('open for their own account alone, wherever the row of the wallet is moved', async () => {
    const database = await open()
    const [one = to, two = to] = await fill(database, 2)
    const wallets = openWallets(database)
    const [mine, theirs] = [(await wallets.findByAddress(one))!, (await wallets.findByAddress(two))!]
    await database.tables.update(WalletEntity, { id: theirs.id }, { userId: mine.userId, ref: 'moved' })
    const signer = signerOf(database, old)
    await expect(signer.exportKeystore(two, 'password')).rejects.toMatchObject({ code: 'FAILED_PRECONDITION' })
    await expect(signer.sign(two, transaction)).rejects.toMatchObject({ code: 'FAILED_PRECONDITION' })
    await expect(sealAnew(wallets, createSeal(present, [old]))).rejects.toThrow('moved from another account')
  })

  test('of the version before are sealed anew, and a start goes on where a killed one ended', async () => {
    const database = await open()
    const addresses = await fill(database, 5)
    const wallets = openWallets(database)
    const signed = await Promise.all(
      addresses.map(async (each) => await signerOf(database, old).sign(each, transaction)),
    )
    const seal = createSeal(old)
    for (const { id, sealedKey, ...owner } of await wallets.sealedOtherwise('nothing', 0))
      if (sealedKey !== '')
        await wallets.replaceSealedKey(id, sealedKey, sealedBefore(seal.open(sealedKey, owner), owner))
    await expect(signerOf(database, old).sign(addresses[0]!, transaction)).rejects.toThrow('cannot be opened')

    let done = 0
    const killed = {
      ...wallets,
      replaceSealedKey: async (...change: Parameters<typeof wallets.replaceSealedKey>) => {
        if (done === 2) throw new Error('killed')
        done += 1
        await wallets.replaceSealedKey(...change)
      },
    }
    await expect(sealAnew(killed, createSeal(present, [old]))).rejects.toThrow('killed')
    expect(await sealAnew(wallets, createSeal(present, [old]))).toBe(3)
    expect(await sealAnew(wallets, createSeal(present))).toBe(0)
    const again = addresses.map(async (each) => await signerOf(database, present).sign(each, transaction))
    expect(await Promise.all(again)).toEqual(signed)
  })

  test('are found past the size of one page', async () => {
    const database = await open()
    const wallets = openWallets(database)
    const at = new Date()
    const account = (await openAccounts(database).create({
      email: 'many@example.com',
      passwordHash: 'x',
      wallet: (userId) => signerOf(database, old).generate(userId, 'default'),
      funding: 'none',
      at,
    }))!
    const signer = signerOf(database, old)
    for (let index = 0; index < 510; index += 1)
      await wallets.create(account.id, signer.generate(account.id, `w${index}`), 'none', at, 1_000)
    expect(await sealAnew(wallets, createSeal(present, [old]))).toBe(511)
    expect(await wallets.sealedOtherwise(createSeal(present).prefix, 0)).toEqual([])
  })
})

eachDatabase('an address', (open) => {
  test('is the wallet of one account only, also for concurrent imports', async () => {
    const database = await open()
    const [address = to] = await fill(database, 2)
    const wallets = openWallets(database)
    const brought = { ref: 'mine', address, sealedKey: 'x' }
    const users = [(await wallets.findByAddress(address))!.userId, (await wallets.findByAddress(to))!.userId + 1]
    for (const user of users) expect(await wallets.create(user, brought, 'none', new Date(), 10)).toBe('held')
    const fresh = `0x${'12'.repeat(20)}` as const
    const tries = users.map((user) =>
      wallets.create(user, { ref: 'fresh', address: fresh, sealedKey: 'x' }, 'none', new Date(), 10),
    )
    const ends = await Promise.all(tries)
    expect(ends.filter((end) => end === 'held')).toHaveLength(1)
    expect(ends.filter((end) => typeof end === 'object' && end !== null)).toHaveLength(1)
  })
})
