import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Wallet } from '@ethereumjs/wallet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifyAudit } from '../../src/adapters/storage/audit/verify-audit.ts'
import { openDatabase } from '../../src/adapters/storage/connection/database.ts'
import { AuditEntity } from '../../src/adapters/storage/entities/audit.ts'
import { type Client, output, type Refusal } from '../clients/client.ts'
import { grpcClient } from '../clients/grpc.ts'
import { restClient } from '../clients/rest.ts'
import { trpcClient } from '../clients/trpc.ts'
import { dataFolder } from '../data-folder.ts'
import { type Gateway, startGateway } from '../gateway-process.ts'
import { asOperator } from '../operator-token.ts'
import { isLong, sized } from '../sized.ts'

const masterKey = '5e'.repeat(32)
const words = {
  account: 'account-password-7261',
  file: 'file-password-7262',
  wrong: 'wrong-password-7263',
  out: 'out-password-7264',
}
const keys: Buffer[] = []
const folder = dataFolder()
let gateway: Gateway
let responses = ''
let clients: Client[]

/** Starts the gateway as a process with its most detailed log, and records its output. */
beforeAll(async () => {
  gateway = await startGateway(folder.path, { MASTER_KEY: masterKey, LOG_LEVEL: 'debug' })
  const { http, grpc } = gateway.urls
  clients = [restClient(http), trpcClient(http), grpcClient(grpc)]
})
afterAll(async () => {
  for (const client of clients ?? []) client.close()
  await gateway?.kill()
  folder[Symbol.dispose]()
})

const cheap = { kdf: 'pbkdf2', c: 1_000 }

test.each(['rest', 'trpc', 'grpc'] as const)(
  'a key is imported, and exported over %s, only with its password',
  async (protocol) => {
    const client = clients.find((one) => one.protocol === protocol)!
    const user = await output(
      client.call('auth.register', { email: `${protocol}@example.com`, password: words.account }),
    )
    const session = await output(client.call('auth.createSession', {}, user.token.access_token))
    const call = (id: 'trading.importWallet' | 'trading.exportWallet', input: object) =>
      client.call(id, input, session.token.access_token)
    const wallet = Wallet.generate()
    keys.push(Buffer.from(wallet.getPrivateKey()))
    const keystore = await wallet.toV3(words.file, cheap)
    const broken = structuredClone(keystore)
    broken.crypto.kdfparams.salt = `${words.wrong}`
    const brought = { wallet_ref: 'brought', keystore, password: words.file }

    const refusals = [
      [{ ...brought, password: words.wrong }, ['password']],
      [{ ...brought, keystore: broken }, ['keystore.crypto.kdfparams.salt']],
      [{ ...brought, keystore: { [words.wrong]: words.file } }, ['keystore.version']],
      [{ ...brought, wallet_ref: '' }, ['wallet_ref']],
    ] as const
    for (const [input, paths] of refusals) {
      const refusal = (await call('trading.importWallet', input)) as Refusal
      expect(refusal).toMatchObject({ ok: false, code: 'INVALID_ARGUMENT', headers: { 'cache-control': 'no-store' } })
      expect(refusal.violations.map(({ path }) => path)).toEqual(paths)
      responses += JSON.stringify(refusal)
    }
    const response = await call('trading.importWallet', brought)
    responses += JSON.stringify(response)
    expect(response).toMatchObject({
      ok: true,
      output: { wallet_ref: 'brought', address: wallet.getChecksumAddressString(), funded: false, custody: 'gateway' },
      headers: { 'cache-control': 'no-store' },
    })
    for (const [again, code] of [
      [brought, 'ALREADY_EXISTS'],
      [{ ...brought, wallet_ref: 'twice' }, 'ALREADY_EXISTS'],
    ] as const)
      expect(await call('trading.importWallet', again)).toMatchObject({ ok: false, code })

    const taken = { wallet_ref: 'brought', account_password: words.account, keystore_password: words.out }
    const wrong = (await call('trading.exportWallet', { ...taken, account_password: words.wrong })) as Refusal
    expect(wrong).toMatchObject({ ok: false, code: 'PERMISSION_DENIED', headers: { 'cache-control': 'no-store' } })
    expect(await call('trading.exportWallet', { ...taken, wallet_ref: 'none' })).toMatchObject({ code: 'NOT_FOUND' })
    responses += JSON.stringify(wrong)
    // An export takes seconds of processor time.
    if (protocol !== 'rest' && !isLong) return
    const exported = await call('trading.exportWallet', taken)
    expect(exported).toMatchObject({ ok: true, headers: { 'cache-control': 'no-store' } })
    const file = (exported as { output: object }).output
    expect(JSON.stringify(file)).not.toContain(keys.at(-1)!.toString('hex'))
    expect(file).toMatchObject({
      version: 3,
      address: wallet.getAddressString().slice(2),
      crypto: {
        cipher: 'aes-128-ctr',
        cipherparams: { iv: expect.stringMatching(/^[0-9a-f]{32}$/) },
        ciphertext: expect.stringMatching(/^[0-9a-f]{64}$/),
        kdf: 'scrypt',
        kdfparams: { dklen: 32, n: 262_144, r: 8, p: 1, salt: expect.stringMatching(/^[0-9a-f]{64}$/) },
        mac: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    })
    const reopened = await Wallet.fromV3(JSON.stringify(file), words.out)
    expect(Buffer.from(reopened.getPrivateKey())).toEqual(keys.at(-1))
  },
)

test('an account has at most ten wallets, imported ones included', async () => {
  const [rest] = clients
  const user = await output(rest!.call('auth.register', { email: 'ten@example.com', password: words.account }))
  const session = await output(rest!.call('auth.createSession', {}, user.token.access_token))
  const bring = async (index: number) => {
    const keystore = await Wallet.generate().toV3(words.file, cheap)
    const input = { wallet_ref: `w${index}`, keystore, password: words.file }
    return await rest!.call('trading.importWallet', input, session.token.access_token)
  }
  await output(bring(1))
  for (let index = 2; index < 10; index += 1)
    await output(rest!.call('trading.createWallet', { wallet_ref: `w${index}` }, session.token.access_token))
  expect(await bring(10)).toMatchObject({ ok: false, code: 'FAILED_PRECONDITION' })
  const more = await rest!.call('trading.createWallet', { wallet_ref: 'more' }, session.token.access_token)
  expect(more).toMatchObject({ ok: false, code: 'FAILED_PRECONDITION' })
})

test('the account from which the gateway pays cannot be imported as a wallet, even with its key', async () => {
  const [rest] = clients
  const user = await output(rest!.call('auth.register', { email: 'pay@example.com', password: words.account }))
  const session = await output(rest!.call('auth.createSession', {}, user.token.access_token))
  const treasury = Wallet.fromPrivateKey(
    Buffer.from(readFileSync(join(folder.path, 'treasury.key'), 'utf8').trim(), 'hex'),
  )
  const input = { wallet_ref: 'till', keystore: await treasury.toV3(words.file, cheap), password: words.file }
  const refusal = await rest!.call('trading.importWallet', input, session.token.access_token)
  expect(refusal).toMatchObject({ ok: false, code: 'ALREADY_EXISTS' })
})

test('no output and no stored file of the process contains a key or a password', async () => {
  const metrics = await (await fetch(`${gateway.urls.http}/metrics`, { headers: asOperator })).text()
  await gateway.stop()
  const written = [gateway.said(), gateway.complaints(), metrics, responses].join('\n')
  expect(written).toContain('trading.importWallet')
  const files = readdirSync(folder.path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const stored = files.map((entry) => readFileSync(join(entry.parentPath, entry.name)))
  expect(stored.length).toBeGreaterThan(3)
  const forms = keys.flatMap((key) => [
    key,
    ...[key.toString('hex'), key.toString('hex').toUpperCase(), key.toString('base64'), key.toString('base64url')],
    JSON.stringify([...key]),
  ])
  const secrets = [...forms, ...Object.values(words), masterKey, Buffer.from(masterKey, 'hex')]
  for (const secret of secrets)
    for (const text of [Buffer.from(written), ...stored]) expect(text.includes(secret)).toBe(false)
})

test('each imported or exported key is in the audit log, which verifies', async () => {
  await using database = await openDatabase({ url: null, dataDir: folder.path })
  const entries = await database.tables.find(AuditEntity, { kind: 'key' }, { orderBy: { userId: 'asc', seq: 'asc' } })
  const facts = entries.map((entry) => JSON.parse(entry.facts))
  const brought = { wallet_ref: 'brought', address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/) }
  expect(facts.filter(({ wallet_ref }) => wallet_ref === 'brought')).toEqual(
    [true, isLong, isLong].flatMap((exported) => [
      { imported: true, ...brought },
      ...(exported ? [{ exported, ...brought }] : []),
    ]),
  )
  expect(facts).toHaveLength(3 + sized(1, 3) + 1)
  expect(await verifyAudit(database)).toMatchObject({ broken: null })
})
