import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { output } from '../clients/client.ts'
import { agrees, type Era, mcpClient, type ToolAnswer } from '../clients/mcp.ts'
import { dataFolder } from '../data-folder.ts'
import { type Account, fundedAccount, newAccount, openWorld, protocols, type World } from '../world.ts'

const folder = dataFolder()
const ample = 'default=10000/3600,execute=10000/3600,register=10000/3600'
let world: World
let account: Account
beforeAll(async () => {
  world = await openWorld({ DATA_DIR: folder.path, RATE_LIMITS: 'on', RATE_RULES: ample })
  account = await fundedAccount(world.clients.rest)
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

const grant = { scopes: ['read', 'trade'], confirm_above_usd: 100, max_daily_usd: 10_000 }
const swap = { token_in_address: 'USDC', token_out_address: 'WETH' }

/** A session with a threshold; the grant of one from before is stored as the version before did. */
async function session(made: 'now' | 'before', above = 100): Promise<{ id: string; token: string }> {
  const asked = { grant: { ...grant, confirm_above_usd: above } }
  const { session_id: id, token } = await output(
    world.clients.rest.call('auth.createSession', asked, account.userToken),
  )
  if (made === 'before') {
    // In a process of its own: closing a file here would release the locks that the gateway holds on it.
    const file = JSON.stringify(join(folder.path, 'trident.sqlite'))
    const statement = "update session set grant_facts = json_remove(grant_facts, '$.overMcp') where id = ?"
    const change = `new (require('node:sqlite').DatabaseSync)(${file}, { timeout: 30000 }).prepare(${JSON.stringify(statement)}).run('${id}').changes`
    expect(execFileSync(process.execPath, ['-p', change]).toString().trim()).toBe('1')
  }
  return { id, token: token.access_token }
}

/** The clients of the guide's table. Only the first can be asked by a form. */
const clients: Record<string, { era: Era; forms: boolean }> = {
  '2026 with forms': { era: 'auto', forms: true },
  '2026 without forms': { era: 'auto', forms: false },
  '2025 that declares forms': { era: 'legacy', forms: true },
  '2025 without forms': { era: 'legacy', forms: false },
}

test.each(Object.entries(clients))('a client of %s trades as its session says', async (_name, { era, forms }) => {
  const cards: string[] = []
  const trade = async (token: string, amount: string): Promise<ToolAnswer> => {
    const person = (card: string) => {
      cards.push(card)
      return agrees(card)
    }
    await using agent = await mcpClient(world.urls.http, token, era, forms ? person : undefined)
    return await agent.call('trade', { ...swap, amount_in: amount })
  }
  const isAsked = era === 'auto' && forms
  const [now, before, zero] = [await session('now'), await session('before'), await session('now', 0)]

  expect((await trade(now.token, '30')).value).toMatchObject({ status: 'success' })
  expect(cards).toHaveLength(isAsked ? 1 : 0)
  const waits = { status: 'pending', confirm_url: expect.any(String) }
  expect((await trade(before.token, '30')).value).toMatchObject(isAsked ? { status: 'success' } : waits)
  expect(cards).toHaveLength(isAsked ? 2 : 0)
  for (const { token } of [now, before]) expect((await trade(token, '101')).value).toMatchObject(waits)
  expect((await trade(zero.token, '1')).value).toMatchObject(waits)
  expect(cards).toHaveLength(isAsked ? 2 : 0)
})

test.each(protocols)('over %s a session says which rule holds, and warns where nothing caps the sum', async (by) => {
  const client = world.clients[by]
  const make = async (more: object) =>
    await output(client.call('auth.createSession', { grant: { ...grant, ...more } }, account.userToken))
  const entry = async (id: string) => {
    const all: { session_id: string }[] = await output(client.call('auth.listSessions', {}, account.userToken))
    return all.find(({ session_id }) => session_id === id)
  }
  const { max_daily_usd: _none, ...unbounded } = grant
  const loose = await output(client.call('auth.createSession', { grant: unbounded }, account.userToken))
  const warns = {
    over_mcp: 'above_threshold',
    warning: expect.stringMatching(/up to 100 USD each need.*grant\.max_daily_usd/),
  }
  expect(loose).toMatchObject(warns)
  expect(await entry(loose.session_id)).toMatchObject(warns)
  const bounded = await make({})
  expect(bounded).toMatchObject({ over_mcp: 'above_threshold' })
  const all = await make({ confirm_above_usd: 0 })
  expect(all).toMatchObject({ over_mcp: 'every_trade' })
  expect(await entry((await session('before')).id)).toMatchObject({ over_mcp: 'every_trade' })
  const reads = await output(
    client.call('auth.createSession', { grant: { ...unbounded, scopes: ['read'] } }, account.userToken),
  )
  expect(reads).not.toHaveProperty('over_mcp')
  for (const quiet of [bounded, all, reads]) expect(quiet).not.toHaveProperty('warning')
})

test('a trade is found by its quote, however many came after it', async () => {
  const { token } = await session('now')
  await using agent = await mcpClient(world.urls.http, token, 'legacy')
  const { value: quote } = await agent.call('quote', { ...swap, amount_in: '5' })
  const bound = { ...swap, amount_in: '5', quote_id: quote.quote_id }
  const { value: made } = await agent.call('trade', bound)
  expect(made).toMatchObject({ status: 'success' })
  const later = Array.from({ length: 21 }, (_, number) => account.trade('USDC', 'WETH', '1', `later-${number}`))
  await Promise.all(
    later.map(async (trade) => await output(world.clients.rest.call('trading.execute', trade, account.token))),
  )
  expect((await agent.call('trade', bound)).value).toMatchObject({ replayed: true, execution_id: made.execution_id })
  const other = await agent.call('trade', { ...bound, amount_in: '6' })
  expect([other.refused, other.text]).toEqual([true, expect.stringMatching(/ALREADY_EXISTS/)])
})

test('a call counts once: as a trade, or as a question where a person is asked', async () => {
  const { token } = await session('now')
  const { rest } = world.clients
  const left = async () => {
    const asked = await rest.call('auth.whoAmI', {}, token)
    const key = crypto.randomUUID()
    const simulated = await rest.call('trading.execute', { ...account.trade('USDC', 'BADSELL', '1', key) }, token)
    return [asked, simulated].map((outcome) => Number(outcome.headers?.['x-ratelimit-remaining']))
  }
  const used = async (work: () => Promise<unknown>) => {
    const before = await left()
    await work()
    const after = await left()
    return before.map((count, index) => count - after[index]! - 1)
  }
  await using asking = await mcpClient(world.urls.http, token, 'auto', agrees)
  await using silent = await mcpClient(world.urls.http, token, 'auto')
  const given = { ...swap, amount_in: '1' }
  expect(await used(() => silent.call('trade', given))).toEqual([0, 1])
  expect(await used(() => silent.call('trade', { ...given, amount_in: '101' }))).toEqual([0, 1])
  expect(await used(() => asking.call('trade', given))).toEqual([1, 1])
})

test('an execution is read by its key over every protocol', async () => {
  const key = 'a key/of "mine"?'
  const stranger = await newAccount(world.clients.rest)
  const trade = account.trade('USDC', 'WETH', '2', key)
  const made = await output(world.clients.rest.call('trading.execute', trade, account.token))
  for (const client of Object.values(world.clients)) {
    const read = (input: object, token = account.token) => client.call('trading.getExecution', input, token)
    const found = await output(read({ idempotency_key: key }))
    expect(found).toMatchObject({ execution_id: made.execution_id, idempotency_key: key })
    expect(await read({ idempotency_key: 'none' })).toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringMatching(/of this key/),
    })
    expect(await read({ idempotency_key: key }, stranger.token)).toMatchObject({ code: 'NOT_FOUND' })
    for (const input of [{}, { idempotency_key: key, execution_id: made.execution_id }])
      expect(await read(input)).toMatchObject({ code: 'INVALID_ARGUMENT', violations: [{ path: 'execution_id' }] })
  }
})
