import { randomBytes } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../src/adapters/storage/connection/database.ts'
import { WalletEntity } from '../../src/adapters/storage/entities/accounts.ts'
import { createSeal } from '../../src/adapters/wallets/seal.ts'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { type Client, output } from '../clients/client.ts'
import { restClient } from '../clients/rest.ts'
import { dataFolder } from '../data-folder.ts'
import { type Gateway, startGateway } from '../gateway-process.ts'
import { shared } from '../shared.ts'
import { type PublicChain, settingsOf, startPublicChain } from '../trading/public-world.ts'
import { newAccount, openWorld, type World } from '../world.ts'

const secret = () => randomBytes(32).toString('hex')

let chain: PublicChain
beforeAll(async () => {
  chain = await startPublicChain()
})
afterAll(async () => await chain?.close())

/** Opens replicas of one database, each with a folder of its own; disposing closes those that are open. */
function replicas(DATABASE_URL: string, log?: { write(line: string): void }) {
  const opened = new AsyncDisposableStack()
  return {
    async open(settings: Record<string, string>): Promise<World> {
      const DATA_DIR = opened.use(dataFolder()).path
      const level = log === undefined ? {} : { LOG_LEVEL: 'warn' }
      return opened.use(await openWorld(settingsOf(chain, { DATABASE_URL, DATA_DIR, ...level, ...settings }), log))
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

async function accepts({ clients }: World, token: string): Promise<unknown> {
  return (await clients.rest.call('auth.whoAmI', {}, token)).ok
}

async function tokenOf(client: Client): Promise<string> {
  return (await newAccount(client)).token
}

test('three replicas with folders of their own start at once on an empty database and know the same callers', async () => {
  const common = { DATABASE_URL: await shared('empty-database'), MASTER_KEY: secret(), TOKEN_SECRET: secret() }
  const folders = [1, 2, 3].map(() => dataFolder())
  const fromFiles = ({ path }: { path: string }) =>
    Object.fromEntries(
      Object.entries(common).map(([name, text]) => {
        writeFileSync(join(path, name), `${text}\n`)
        return [`${name}_FILE`, join(path, name)]
      }),
    )
  const starts = folders.map((folder, index) => {
    const given = index === 0 ? fromFiles(folder) : common
    return startGateway(folder.path, settingsOf(chain, { ...given, DATA_DIR: folder.path }))
  })
  const ends = await Promise.allSettled(starts)
  const gateways = ends.flatMap((end): Gateway[] => (end.status === 'fulfilled' ? [end.value] : []))
  try {
    expect(ends.map((end) => (end.status === 'rejected' ? String(end.reason) : ''))).toEqual(['', '', ''])
    const [one, ...others] = gateways.map(({ urls }) => restClient(urls.http)) as [Client, ...Client[]]
    const { token, email } = await newAccount(one)
    for (const other of others)
      expect(await output(other.call('auth.whoAmI', {}, token))).toMatchObject({ account: { email } })
    for (const gateway of gateways) expect(gateway.complaints()).toBe('')
  } finally {
    await Promise.all(gateways.map(async (gateway) => await gateway.stop()))
    for (const folder of folders) folder[Symbol.dispose]()
  }
})

test('a replica with another secret is refused by its name, and one with another operator token says so', async () => {
  const lines: string[] = []
  await using all = replicas(await shared('database'), { write: (line) => lines.push(line) })
  const [MASTER_KEY, TOKEN_SECRET] = [secret(), secret()]
  await all.open({ MASTER_KEY, TOKEN_SECRET })
  const refused = async (settings: Record<string, string>, why: RegExp) =>
    await expect(all.open({ MASTER_KEY, ...settings })).rejects.toThrow(why)
  await refused({ MASTER_KEY: secret(), TOKEN_SECRET }, /^MASTER_KEY is not that of this database/)
  await refused({ TOKEN_SECRET: secret() }, /^TOKEN_SECRET does not contain the secret/)
  await refused({}, /^TOKEN_SECRET is not set/)
  expect(lines).toEqual([])
  await all.open({ MASTER_KEY, TOKEN_SECRET, OPERATOR_TOKEN: 'another-operator-token' })
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ setting: 'OPERATOR_TOKEN' }])
  expect(lines.join()).not.toContain('another-operator-token')
})

test('TOKEN_SECRET is rotated one replica after another, and no login ends', async () => {
  await using all = replicas(await shared('database'))
  const [MASTER_KEY, first, second] = [secret(), secret(), secret()]
  const running: World[] = []
  const tokens: string[] = []
  for (const list of [first, `${first},${second}`, `${second},${first}`, second])
    for (const index of [0, 1]) {
      await running[index]?.[Symbol.asyncDispose]()
      running[index] = await all.open({ MASTER_KEY, TOKEN_SECRET: list })
      // With the old secret removed its tokens end, which is why that waits for eight days.
      if (list !== second) tokens.push(await tokenOf(running[index].clients.rest))
      else tokens.splice(0, tokens.length, await tokenOf(running[index].clients.rest))
      for (const world of running) for (const token of tokens) expect(await accepts(world, token)).toBe(true)
    }
})

test('the master key is rotated one replica after another, and every wallet stays in use', async () => {
  const url = await shared('database')
  await using all = replicas(url)
  await using database = await openDatabase({ url, dataDir: 'unused' })
  const [old, present, TOKEN_SECRET] = [secret(), secret(), secret()]
  const running: World[] = []
  const users: string[] = []
  const exports = async ({ clients }: World, token: string) => {
    const words = { account_password: 'correct horse battery', keystore_password: 'another long password' }
    return await output(clients.rest.call('trading.exportWallet', { wallet_ref: 'default', ...words }, token))
  }
  const steps = [{ MASTER_KEY: old }, { MASTER_KEY: present, PREVIOUS_MASTER_KEY: old }, { MASTER_KEY: present }]
  for (const step of steps)
    for (const index of [0, 1]) {
      await running[index]?.[Symbol.asyncDispose]()
      running[index] = await all.open({ ...step, TOKEN_SECRET })
      users.push(await tokenOf(running[index].clients.rest))
      // What one replica makes opens in every other, also in one that knows the old key alone. An export takes seconds.
      const other = running[1 - index]
      if ('PREVIOUS_MASTER_KEY' in step && other !== undefined)
        for (const token of index === 0 ? users.slice(-2) : users.slice(-1))
          expect(await exports(other, token)).toMatchObject({ version: 3 })
      // A replica seals with the new key from soon after the last one knows it.
      const { prefix } = createSeal(Buffer.from(present, 'hex'))
      const sealed = async () => await database.tables.find(WalletEntity, {})
      const isSealed = async () => (await sealed()).every(({ sealedKey }) => sealedKey?.startsWith(prefix) === true)
      if (step.MASTER_KEY === present && index === 1) await until(isSealed, 'every key to be sealed anew')
    }
  expect(await exports(running[0]!, users[0]!)).toMatchObject({ version: 3 })
  await expect(all.open({ MASTER_KEY: old, TOKEN_SECRET })).rejects.toThrow(/^MASTER_KEY /)
})

test('a second embedded world is refused, with what to do', async () => {
  const common = { DATABASE_URL: await shared('database'), MASTER_KEY: secret(), TOKEN_SECRET: secret() }
  for (const refusal of [null, /^The chain 84532 is not the one of this database: .* second embedded world/]) {
    const opening = openWorld(common)
    if (refusal === null) await (await opening)[Symbol.asyncDispose]()
    else await expect(opening).rejects.toThrow(refusal)
  }
})

test('an installation that sets TOKEN_SECRET later keeps its logins, and a deleted token-keys.json ends them', async () => {
  using folder = dataFolder()
  const settings = settingsOf(chain, { DATA_DIR: folder.path })
  let token = ''
  {
    await using world = await openWorld(settings)
    token = await tokenOf(world.clients.rest)
  }
  rmSync(join(folder.path, 'token-keys.json'))
  const lines: string[] = []
  {
    await using world = await openWorld({ ...settings, LOG_LEVEL: 'warn' }, { write: (line) => lines.push(line) })
    expect(await accepts(world, token)).toBe(false)
    token = await tokenOf(world.clients.rest)
  }
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ setting: 'TOKEN_SECRET' }])
  const TOKEN_SECRET = secret()
  for (const start of ['the first', 'a later']) {
    await using world = await openWorld({ ...settings, TOKEN_SECRET })
    expect(await accepts(world, token), start).toBe(true)
  }
  await expect(openWorld(settings)).rejects.toThrow(/^TOKEN_SECRET is not set, and this database has one/)
})
