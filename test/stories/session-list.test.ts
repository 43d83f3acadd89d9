import { afterAll, beforeAll, expect, test } from 'vitest'
import { output } from '../clients/client.ts'
import { mcpClient } from '../clients/mcp.ts'
import { dataFolder } from '../data-folder.ts'
import { fundedAccount, newAccount, openWorld, password, protocols, type World } from '../world.ts'

const folder = dataFolder()
let world: World
beforeAll(async () => {
  world = await openWorld({ DATA_DIR: folder.path, TRUSTED_PROXIES: '127.0.0.1' })
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

type Entry = Record<string, unknown> & { session_id: string; token?: { expires_at: string } }

test.each(protocols)('over %s the list of sessions tells what to end', async (by) => {
  const client = world.clients[by]
  const account = await fundedAccount(client)
  const grant = { scopes: ['read', 'trade'], max_daily_usd: 100 }
  const made = await output(client.call('auth.createSession', { grant, name: 'Night trader' }, account.userToken))
  expect(made.name).toBe('Night trader')
  const find = async (token: string): Promise<Entry> => {
    const all: Entry[] = await output(client.call('auth.listSessions', {}, token))
    return all.find(({ session_id }) => session_id === made.session_id) ?? { session_id: 'none' }
  }
  const fresh = await find(account.userToken)
  expect(fresh).toMatchObject({ name: 'Night trader', grant, used_today_usd: 0, trades: 0 })
  expect(fresh).not.toHaveProperty('last_used_at')
  expect(fresh.expires_at).toBe(fresh.token?.expires_at)

  const before = Date.now()
  const from = { headers: { 'x-forwarded-for': '203.0.113.9' } }
  const trade = account.trade('USDC', 'WETH', '30', 'listed')
  expect(await client.call('trading.execute', trade, made.token.access_token, from)).toMatchObject({ ok: true })
  const used = await find(account.userToken)
  expect(used).toMatchObject({ last_used_protocol: by, last_used_address: '203.0.113.9', trades: 1 })
  expect(used.used_today_usd).toBeCloseTo(30, 0)
  expect(Date.parse(String(used.last_used_at))).toBeGreaterThanOrEqual(before)
  // A session sees the others without their tokens, and when they end.
  const seen = await find(account.token)
  expect(seen).toMatchObject({ last_used_protocol: by, expires_at: used.expires_at })
  expect(seen).not.toHaveProperty('token')
  const renamed = { session_id: made.session_id, name: 'Day trader' }
  expect(await output(client.call('auth.renameSession', renamed, account.userToken))).toMatchObject({
    name: 'Day trader',
    last_used_address: '203.0.113.9',
  })
})

test('a use by MCP is one too, the name is refused where it changes its text, and all of it outlives a restart', async () => {
  const { rest } = world.clients
  const account = await newAccount(rest)
  const ask = (name: string) => rest.call('auth.createSession', { name }, account.userToken)
  expect(await ask('a\u202eb')).toMatchObject({ code: 'INVALID_ARGUMENT', violations: [{ path: 'name' }] })
  const grant = { scopes: ['read'], confirm_above_usd: 0 }
  const made = await output(rest.call('auth.createSession', { grant, name: 'Agent' }, account.userToken))
  {
    await using agent = await mcpClient(world.urls.http, made.token.access_token)
    await agent.call('positions')
  }
  const find = async () => {
    const user = await output(world.clients.rest.call('auth.login', { username: account.email, password }))
    const all: Entry[] = await output(world.clients.rest.call('auth.listSessions', {}, user.access_token))
    return all.find(({ session_id }) => session_id === made.session_id)
  }
  const used = await find()
  expect(used).toMatchObject({ last_used_protocol: 'mcp', last_used_address: '127.0.0.1' })
  await world[Symbol.asyncDispose]()
  world = await openWorld({ DATA_DIR: folder.path, TRUSTED_PROXIES: '127.0.0.1' })
  expect(await find()).toMatchObject({ last_used_at: used?.last_used_at, last_used_protocol: 'mcp' })
})
