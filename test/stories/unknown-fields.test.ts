import { afterAll, beforeAll, expect, test } from 'vitest'
import { operations } from '../../src/contract/index.ts'
import { isStrict } from '../../src/contract/shared/unknown-fields.ts'
import { restCall } from '../clients/rest-call.ts'
import { type Account, newAccount, sharedWorld, type World } from '../world.ts'

let world: World
let account: Account
beforeAll(async () => {
  world = await sharedWorld()
  account = await newAccount(world.clients.rest)
})
afterAll(async () => await world[Symbol.asyncDispose]())

const sent = (path: string, json?: unknown, method = 'POST', token = account.token) =>
  restCall(world.urls.http, path, { method, json, authorization: `Bearer ${token}` })

test('a misspelt amount or limit is refused with the name that was probably meant', async () => {
  const swap = account.swap('WETH', 'USDC', '0.5')
  const refused = async (path: string, json: unknown) => {
    const { status, body } = await sent(path, json)
    expect(status).toBe(422)
    return body.detail
  }
  const quotePath = '/multi-agent/quote/evm/pseudo'
  expect(await refused(quotePath, { input: { ...swap, slippageBps: 1 } })).toBe(
    'input.slippageBps: is not a field of this request; did you mean input.slippage_bps?',
  )
  expect(await refused(quotePath, { input: swap, slippage_bps: 1 })).toMatch(/did you mean input\.slippage_bps\?$/)
  const thresholds = { quote_id: crypto.randomUUID(), thresholds: { max_price_impact: 5 } }
  const { errors } = (await sent('/multi-agent/risk/preview', thresholds)).body
  expect(errors).toContainEqual(expect.objectContaining({ path: 'thresholds.max_price_impact' }))
  const policy = await sent('/wallets/default/policy', { tokenz: [] }, 'POST', account.userToken)
  expect(policy.body.detail).toMatch(/^tokenz: is not a field of this request; did you mean tokens\?/)
  expect((await sent('/positions?walet_address=0x', undefined, 'GET')).body.detail).toMatch(
    /did you mean wallet_address\?$/,
  )
})

test('a field that changes nothing is ignored, and named in a header', async () => {
  const messages = [{ role: 'user', content: 'What is the price of ETH?', name: 'ada' }]
  const chat = await sent('/chatbot/chat', { messages, model: 'gpt-x', 'top p\r\n': 1 })
  expect(chat).toMatchObject({ status: 200, ignored: 'messages.0.name, model, top%20p%0D%0A' })
  const named = await sent('/chatbot/chat', { messages: [{ role: 'user', content: 'Hello' }] })
  expect(named).toMatchObject({ status: 200, ignored: null })
  expect(await sent('/chatbot/chat', { message: 'hello' })).toMatchObject({ status: 422, ignored: 'message' })
  const preview = await sent('/multi-agent/preview?lang=en', { text: 'swap 1 ETH to USDC' })
  expect(preview).toMatchObject({ status: 200, ignored: 'query.lang' })
})

test('the other protocols ignore and refuse the same fields; protobuf cannot carry them', async () => {
  const { trpc } = world.clients
  const ignored = await trpc.call('trading.previewIntent', { text: 'swap 1 ETH to USDC', lang: 'en' }, account.token)
  expect(ignored).toMatchObject({ ok: true, headers: { 'x-ignored-fields': 'lang' } })
  const refused = await trpc.call(
    'trading.quote',
    { input: account.swap('WETH', 'USDC', '1'), note: 'x' },
    account.token,
  )
  expect(refused).toMatchObject({ ok: false, code: 'INVALID_ARGUMENT', message: /^note: is not a field/ })
})

test('an operation that trades, limits, filters or grants refuses unknown fields', () => {
  const ignoring = operations().flatMap(([id, { input }]) => (isStrict(input) ? [] : [id]))
  expect(ignoring).toEqual([
    'chat.send',
    'chat.stream',
    'chat.resume',
    'chat.stop',
    'trading.previewIntent',
    'trading.getExecution',
    'trading.watchExecution',
    'tools.invokeTvl',
    'tools.invokeExchange',
    'tools.unsubscribeExchange',
    'tools.streamExchange',
    'tools.invokeBitcoin',
    'tools.latestBitcoinBlock',
    'tools.validateBitcoinAddress',
    'tools.oraclePrice',
    'chain.bridgeStatus',
    'chain.watchBridge',
  ])
})
