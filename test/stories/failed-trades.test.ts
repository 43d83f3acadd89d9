import { afterAll, beforeAll, expect, test } from 'vitest'
import { output } from '../clients/client.ts'
import { fundedAccount, newAccount, protocols, sharedWorld, type World } from '../world.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})
afterAll(async () => await world[Symbol.asyncDispose]())

test.concurrent.each(protocols)('over %s a refused trade says why, and leaves its key free', async (protocol) => {
  const client = world.clients[protocol]
  const ada = await newAccount(client)
  const ask = (request: object) => output(client.call('trading.execute', request, ada.token))
  const rug = await ask(ada.trade('WETH', 'RUG', '0.01', 'first'))
  expect(rug).toMatchObject({ status: 'rejected', risk: { level: 'high' } })
  const tooMuch = await ask(ada.trade('USDC', 'WETH', '90000', 'first'))
  expect(tooMuch.status).toBe('rejected')
  expect(tooMuch.message).toMatch(/holds 25000 USDC.*needs 90000 USDC/)
  expect(tooMuch.tx_hash).toBeUndefined()
  expect((await output(client.call('trading.listExecutions', {}, ada.token))).items).toEqual([])
  expect(await ask(ada.trade('USDC', 'WETH', '90', 'first'))).toMatchObject({ status: 'success' })
})

test('a trade whose price has moved beyond its slippage says so, and trades nothing', async () => {
  const { rest, trpc } = world.clients
  const [ada, eve] = await Promise.all([fundedAccount(rest), fundedAccount(trpc)])
  const input = ada.swap('WETH', 'USDC', '1', 0)
  const quote = await output(rest.call('trading.quote', { input }, ada.token))
  const moved = await output(trpc.call('trading.execute', eve.trade('WETH', 'USDC', '4', 'move'), eve.token))
  expect(moved.status).toBe('success')

  const request = ada.trade('WETH', 'USDC', '1', 'late', { quote_id: quote.quote_id })
  const late = await output(
    rest.call('trading.execute', { ...request, input: { ...input, simulate_only: false } }, ada.token),
  )
  expect(late).toMatchObject({ status: 'failed', quote: { quote_id: quote.quote_id } })
  expect(late.message).toMatch(/Nothing was traded.*slippage/i)
  expect(late.tx_hash).toBeUndefined()
  const [weth] = await output(rest.call('metrics.positions', { token_symbol: 'WETH' }, ada.token))
  expect(weth.quantity_decimal).toBe('5')
})

test.concurrent.each(protocols)(
  'over %s a request id comes back with an answer and with a refusal',
  async (protocol) => {
    const client = world.clients[protocol]
    const { token } = await newAccount(client)
    const answer = await client.call('chat.history', {}, token, { requestId: 'my-own-id' })
    expect(answer).toMatchObject({ ok: true, headers: { 'x-request-id': 'my-own-id' } })
    const refusal = await client.call('chat.history', {}, 'nonsense', { requestId: 'my-other-id' })
    expect(refusal).toMatchObject({ ok: false, requestId: 'my-other-id', headers: { 'x-request-id': 'my-other-id' } })
    const made = await client.call('chat.history', {}, token, { requestId: 'x'.repeat(200) })
    expect(made.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
  },
)
