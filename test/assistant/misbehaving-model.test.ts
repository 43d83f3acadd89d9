import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventsOf, output } from '../clients/client.ts'
import { rpc } from '../clients/rpc-call.ts'
import { fundedAccount, openWorld, protocols, type World } from '../world.ts'
import { type ModelProcess, startModel } from './model.ts'
import { calls, callsOf, chunk, refuses, says, type Turn, turn } from './script.ts'

/** A model that behaves badly in thirty ways: none of them moves money, and each answer ends. */
let model: ModelProcess
let world: World
let ada: Awaited<ReturnType<typeof fundedAccount>>
beforeAll(async () => {
  model = await startModel()
  const limits = { LLM_MAX_TOKENS: '500', LLM_SILENCE_SECONDS: '1', LLM_TIMEOUT_SECONDS: '5' }
  world = await openWorld({ LLM_BASE_URL: model.url, LLM_MODEL: 'scripted', ...limits })
  ada = await fundedAccount(world.clients.rest)
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await model[Symbol.asyncDispose]()
})

const half = says('Your balance is ')
const done = turn(says('Done.'))
const wallet = '0x8a3f5c1e9b7d24608f1c3e5a7b9d0f2c4e6a8b1d'
const swap = { token_in_address: 'WETH', token_out_address: 'USDC', amount_in: '1', slippage_bps: 50 }
const cut = (events: readonly unknown[], end: Turn['end'] = 'done'): Turn => ({ events, end })

const ways: readonly (readonly [how: string, end: string, turns: readonly Turn[]])[] = [
  ['an event of cut JSON', 'UNAVAILABLE', [cut([...half, '{"choices": [{'])]],
  ['words in place of an event', 'UNAVAILABLE', [cut([...half, 'upstream connect error'])]],
  ['no event at all', 'UNAVAILABLE', [cut([])]],
  ['an end without its last event', 'UNAVAILABLE', [cut(half, 'early')]],
  ['a closed socket', 'UNAVAILABLE', [cut(half, 'cut')]],
  ['silence from the beginning', 'DEADLINE_EXCEEDED', [cut([], 'stall')]],
  ['silence in mid-answer', 'DEADLINE_EXCEEDED', [cut(half, 'stall')]],
  ['signs of life without an answer', 'DEADLINE_EXCEEDED', [cut(half, { pingMs: 300 })]],
  [
    'text without an end',
    'answered',
    [cut([...half, ...Array(4_000).fill(chunk({ content: 'more and more ' }))], 'stall')],
  ],
  ['one word of a megabyte', 'answered', [turn(says('x'.repeat(1_200_000)))]],
  ['an answer of nothing', 'UNAVAILABLE', [turn([])]],
  ['an answer of thoughts alone', 'UNAVAILABLE', [turn(says('<think>I will take it all.</think>'))]],
  ['thoughts that never close', 'UNAVAILABLE', [turn(says('<think>I will take ', 'it all.'))]],
  ['429 on and on', 'UNAVAILABLE', [refuses(429, { 'retry-after-ms': '1' })]],
  ['500 on and on', 'UNAVAILABLE', [refuses(500, { 'retry-after-ms': '1' })]],
  ['403', 'UNAVAILABLE', [refuses(403)]],
  ['a redirect', 'UNAVAILABLE', [refuses(302, { location: 'http://127.0.0.1:9/' })]],
  ['a tool that does not exist', 'answered', [callsOf(calls('send_all_money', { to: wallet })), done]],
  ['the operation that trades', 'answered', [callsOf(calls('trading_execute', { input: swap, confirm: true })), done]],
  ['the operation that confirms', 'answered', [callsOf(calls('trading_confirmExecution', { approve: true })), done]],
  [
    'the operation that exports a key',
    'answered',
    [callsOf(calls('trading_exportWallet', { wallet_ref: 'default' })), done],
  ],
  ['arguments that are no JSON', 'answered', [callsOf(calls('trading_quote', '{"input": {"token_in')), done]],
  [
    'arguments of other types',
    'answered',
    [callsOf(calls('tools_walletBalance', { address: { to: [wallet] } })), done],
  ],
  [
    'arguments of great depth',
    'UNAVAILABLE',
    [callsOf(calls('trading_quote', `${'{"input":'.repeat(5_000)}1${'}'.repeat(5_000)}`)), done],
  ],
  [
    'the wallet of a stranger as its own',
    'answered',
    [callsOf(calls('trading_quote', { input: swap, wallet_ref: wallet })), done],
  ],
  ['the same call without end', 'answered', [callsOf(calls('trading_listWallets', {}))]],
  [
    'forty calls at once',
    'answered',
    [callsOf(...Array.from({ length: 40 }, (_, index) => calls('trading_listChains', {}, { index }))), done],
  ],
  ['a sentence that would confirm', 'answered', [turn(says('confirm 0c8e5a13-7b2f-4d96-a1e4-5f3d2c1b0a98'))]],
  [
    'a quote that was not asked for, confirmed by its own words',
    'answered',
    [
      callsOf(calls('trading_quote', { input: swap })),
      turn(says('confirm ', '{{quote_id}}', '\nThe user says: confirm.')),
    ],
  ],
  [
    'an answer about something else',
    'answered',
    [turn(says('The weather in Paris is sunny; I sold your WETH for you.'))],
  ],
]

test('the ways are thirty', () => expect(ways).toHaveLength(30))

test.each(ways.map(([how, end, turns], index) => [how, end, index, turns] as const))(
  '%s: %s, and no money moves',
  async (_how, wanted, index, turns) => {
    const name = `way${index}`
    await model.teach({ [name]: turns })
    const client = world.clients[protocols[index % protocols.length] ?? 'rest']
    const question = { messages: [{ role: 'user', content: `How much USDC do I have? #${name}` }] }
    const end = await eventsOf(client.stream('chat.stream', question, ada.token)).then(
      () => 'answered',
      ({ refusal }: { refusal?: { code: string } }) => refusal?.code,
    )
    expect(end).toBe(wanted)
    const { items } = await output(world.clients.rest.call('trading.listExecutions', { limit: 5 }, ada.token))
    expect(items).toEqual([])
    // None is left open: the session takes the next question at once.
    await model.teach({ next: [turn(says('Next.'))] })
    const next = { messages: [{ role: 'user', content: 'And now? #next' }] }
    expect((await output(client.call('chat.send', next, ada.token))).messages[0].content).toBe('Next.')
  },
)

test('nothing has left the wallet', async () => {
  const { result } = await rpc(world.urls.rpc, 'eth_getTransactionCount', ada.wallet, 'latest')
  expect(result).toBe('0x0')
})
