import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventsOf, output, type Refusal, refusalOf } from '../clients/client.ts'
import { operatorToken } from '../operator-token.ts'
import { type Account, fundedAccount, newAccount, openWorld, protocols, type World } from '../world.ts'

let world: World
let ada: Account
let trade: { execution_id: string; tx_hash: string }
let quote: { quote_id: string }
let stream: string
const question = { messages: [{ role: 'user', content: 'quote 1 WETH to USDC' }] }

beforeAll(async () => {
  world = await openWorld()
  const { rest } = world.clients
  ada = await newAccount(rest)
  trade = await output(rest.call('trading.execute', ada.trade('WETH', 'USDC', '0.1', 'shared-name'), ada.token))
  quote = await output(rest.call('trading.quote', { input: ada.swap('WETH', 'USDC', '0.1') }, ada.token))
  const [first] = await eventsOf(rest.stream('chat.stream', question, ada.token))
  stream = first.id.split(':')[0]
})
afterAll(async () => await world[Symbol.asyncDispose]())

test.concurrent.each(protocols)('no account reads or moves what belongs to another over %s', async (protocol) => {
  const client = world.clients[protocol]
  const eve = await newAccount(client)
  const { token, userToken } = eve
  const tries = [
    client.call('trading.getExecution', { execution_id: trade.execution_id }, token),
    client.call('auth.deleteSession', { session_id: ada.sessionId }, userToken),
    client.call('auth.renameSession', { session_id: ada.sessionId, name: 'mine' }, userToken),
    client.call('chat.stop', { stream_id: stream }, token),
    client.call('trading.execute', eve.trade('WETH', 'USDC', '0.1', 'stolen', { quote_id: quote.quote_id }), token),
    refusalOf(client.stream('chat.resume', { stream_id: stream }, token)),
    refusalOf(client.stream('trading.watchExecution', { execution_id: trade.execution_id }, token)),
  ]
  for (const outcome of await Promise.all(tries)) expect(outcome).toMatchObject({ ok: false, code: 'NOT_FOUND' })

  expect((await output(client.call('trading.listExecutions', {}, token))).items).toEqual([])
  expect(await output(client.call('metrics.positions', { wallet_address: ada.wallet }, token))).toEqual([])
  expect((await output(client.call('metrics.volume', {}, token))).total_volume_usd).toBe(0)
  expect((await output(client.call('chat.history', {}, token))).messages).toEqual([])
  const sessions = await output(client.call('auth.listSessions', {}, userToken))
  expect(sessions.map((one: { session_id: string }) => one.session_id)).toEqual([eve.sessionId])
})

test.concurrent.each(protocols)(
  'a name of a session holds no character that changes how it is read, over %s',
  async (by) => {
    const client = world.clients[by]
    const { sessionId, userToken } = await newAccount(client)
    const rename = (name: string) => client.call('auth.renameSession', { session_id: sessionId, name }, userToken)
    for (const name of [
      'a\nb',
      'Desk\u202eksed',
      '\u2066Desk',
      'a\u0085b',
      'tab\t',
      'a\u2028b',
      '\u200fDesk',
      'bell\u0007',
    ])
      expect([name, await rename(name)]).toMatchObject([
        name,
        { code: 'INVALID_ARGUMENT', violations: [{ path: 'name' }] },
      ])
    for (const name of ['', 'Möre 研究 👩‍🔬', 'مكتب'])
      expect(await rename(name)).toMatchObject({ ok: true, output: { name } })
  },
)

test('a key is its own in every account', async () => {
  const { trpc } = world.clients
  const eve = await newAccount(trpc)
  const hers = await output(trpc.call('trading.execute', eve.trade('WETH', 'USDC', '0.1', 'shared-name'), eve.token))
  expect(hers.status).toBe('success')
  expect(hers.tx_hash).not.toBe(trade.tx_hash)
})

test('a session token works in its own session alone', async () => {
  const { rest } = world.clients
  const second = await output(rest.call('auth.createSession', {}, ada.userToken))
  const outcome = await rest.call('auth.deleteSession', { session_id: second.session_id }, ada.token)
  expect(outcome).toMatchObject({ ok: false, code: 'PERMISSION_DENIED' })
  const mine = await output(rest.call('chat.history', {}, second.token.access_token))
  expect(mine.messages).toEqual([])
  expect(await refusalOf(rest.stream('chat.resume', { stream_id: stream }, second.token.access_token))).toMatchObject({
    code: 'NOT_FOUND',
  })
  expect(await rest.call('auth.deleteSession', { session_id: second.session_id }, ada.userToken)).toMatchObject({
    ok: true,
  })
})

test('simultaneous requests with one key on three protocols are one trade', async () => {
  const { rest } = world.clients
  const bob = await newAccount(rest)
  const request = bob.trade('WETH', 'USDC', '0.2', 'at-once')
  const outcomes = await Promise.all(
    protocols.flatMap((one) => [1, 2].map(() => world.clients[one].call('trading.execute', request, bob.token))),
  )
  const trades = await Promise.all(outcomes.map((outcome) => output(Promise.resolve(outcome))))
  expect(new Set(trades.map(({ tx_hash }) => tx_hash)).size).toBe(1)
  expect(outcomes.filter(({ headers }) => headers['idempotent-replayed'] === 'true')).toHaveLength(5)
  expect((await output(rest.call('trading.listExecutions', {}, bob.token))).items).toHaveLength(1)
})

test('a halt by the operator stops real trades of that wallet on every protocol, until it is lifted', async () => {
  const { rest } = world.clients
  const bob = await fundedAccount(rest)
  await output(rest.call('operator.haltTrading', { scope: 'wallet', id: bob.wallet }, operatorToken))
  for (const protocol of protocols) {
    const request = bob.trade('WETH', 'USDC', '0.01', 'halted')
    const refusal = (await world.clients[protocol].call('trading.execute', request, bob.token)) as Refusal
    expect(refusal).toMatchObject({ ok: false, code: 'UNAVAILABLE', message: expect.stringContaining('halted') })
    // It is unknown when the operator ends the halt.
    expect([refusal.retryAfterSeconds, refusal.headers['retry-after']]).toEqual([undefined, undefined])
    const trial = { input: bob.swap('WETH', 'USDC', '0.01') }
    const tried = await output(world.clients[protocol].call('trading.execute', trial, bob.token))
    expect(tried.status).toBe('simulated')
    const { halts } = await output(world.clients[protocol].call('operator.listHalts', {}, operatorToken))
    expect(halts).toEqual([{ scope: 'wallet', id: bob.wallet.toLowerCase(), created_at: expect.any(String) }])
  }
  await output(rest.call('operator.resumeTrading', { scope: 'wallet', id: bob.wallet }, operatorToken))
  expect(await output(rest.call('operator.listHalts', {}, operatorToken))).toEqual({ halts: [] })
  const after = await output(rest.call('trading.execute', bob.trade('WETH', 'USDC', '0.01', 'halted'), bob.token))
  expect(after.status).toBe('success')
})

test('without a remote signer the operator gets an error that says so', async () => {
  for (const protocol of protocols) {
    const grant = { email: ada.email, wallet_ref: 'vault', address: ada.wallet }
    const refusal = await world.clients[protocol].call('operator.grantWallet', grant, operatorToken)
    expect(refusal).toMatchObject({ code: 'FAILED_PRECONDITION', message: expect.stringContaining('SIGNER_URL') })
  }
})

test('a request that names no limit removes none, on every protocol; a limit is removed by name', async () => {
  const eve = await newAccount(world.clients.rest)
  const limits = { wallet_ref: 'default', max_trade_usd: '100' }
  for (const protocol of protocols) {
    const client = world.clients[protocol]
    const set = (policy: object) => client.call('trading.setWalletPolicy', policy, eve.userToken)
    const kept = () => output(client.call('trading.getWalletPolicy', { wallet_ref: 'default' }, eve.token))
    expect(await output(set(limits))).toMatchObject(limits)
    const bare = { wallet_ref: 'default' }
    for (const empty of [bare, { ...bare, tokens: [] }, { ...bare, unlimited: false }, { ...limits, unlimited: true }])
      expect(await set(empty)).toMatchObject({ code: 'INVALID_ARGUMENT', violations: [{ path: 'unlimited' }] })
    expect(await kept()).toMatchObject(limits)
    await output(set({ ...bare, unlimited: true }))
    expect(await kept()).not.toHaveProperty('max_trade_usd')
  }
})
