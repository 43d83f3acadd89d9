import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { DomainError } from '../../src/domain/core/errors.ts'
import type { AssistantRequest } from '../../src/domain/ports/assistant.ts'
import { drawn } from '../sized.ts'
import { wideTimes } from '../trading/world.ts'
import { assistantOf, type ChatWorld, openChatWorld, sentenceOf, type Talker, traces } from './chat-world.ts'

let world: ChatWorld
let ada: Talker
beforeAll(async () => {
  world = await openChatWorld()
})
afterAll(async () => await world.close())
beforeEach(async () => {
  ada = await world.talker()
})

const shownQuote = async (text = 'quote 0.1 WETH to USDC') => sentenceOf(await world.say(ada, text))

describe('a quote that ran out', () => {
  test('is answered with a new one and the difference, whether confirmed or wished for', async () => {
    const before = await traces(world, ada)
    for (const wording of [(sentence: string) => sentence, () => 'do it', (sentence: string) => `please ${sentence}`]) {
      const old = await shownQuote()
      world.wait(wideTimes.quoteLifetimeMs)
      const received = await world.say(ada, wording(old))
      expect(received).toContain(`The quote ${old.slice(8)} expired at `)
      expect(received).toMatch(
        /nothing was traded\. (The price has not changed|It gives [\d.]+ USDC (less|more) than before \(\d+ bps\))\./,
      )
      expect(sentenceOf(received)).not.toBe(old)
    }
    expect(await traces(world, ada)).toEqual(before)
    const renewed = sentenceOf(await world.say(ada, 'go ahead'))
    expect(await world.say(ada, renewed)).toMatch(/Status success\. Swapped 0.1 WETH/)
  })

  test('in dollars is requested again in dollars, and again for its wallet', async () => {
    const assistant = quoting({ amount_in: '100', amount_in_currency: 'usd' }, 'default')
    const old = sentenceOf(await world.say(ada, 'please', { assistant }))
    world.wait(wideTimes.quoteLifetimeMs)
    const received = await world.say(ada, old)
    const renewed = sentenceOf(received).slice(8)
    expect(await world.ports.quotes.find(ada.userId, renewed)).toMatchObject({ requestedAmount: '100 usd' })
    expect(await world.stores.offers.find(ada.sessionId, renewed)).toMatchObject({ walletRef: 'default' })
  })

  test('that was traded in time is reported as that trade', async () => {
    const sentence = await shownQuote()
    const first = await world.say(ada, sentence)
    world.wait(wideTimes.quoteLifetimeMs)
    const again = await world.say(ada, sentence)
    expect(again).toContain('This quote was confirmed before')
    expect(again).toContain(/Execution [0-9a-f-]{36}/.exec(first)?.[0])
  })
})

describe('what refuses a trade', () => {
  const setHalt = { scope: 'global', id: '' } as const

  test('refuses it here too, and the sentence holds until the quote runs out', async () => {
    const sentence = await shownQuote()
    await world.ports.halts.set(setHalt, new Date())
    expect(await world.say(ada, sentence)).toMatch(
      /^Trading quote .*\nNothing was traded\. An operator has halted trading/,
    )
    await world.ports.halts.clear(setHalt)
    expect(await world.say(ada, sentence)).toMatch(/Status success/)
  })

  test.each([
    [
      'the risk',
      () => shownQuote('quote 0.01 WETH to BADTAX'),
      /Status rejected\. Nothing was traded\. The risk is high.*\nNothing was sent\./,
    ],
    [
      'the money',
      () => shownQuote('quote 900000 WETH to USDC'),
      /Status rejected\. Nothing was traded\. .*\nNothing was sent\./,
    ],
  ])('%s', async (_what, quote, words) => {
    const sentence = await quote()
    const before = await traces(world, ada)
    expect(await world.say(ada, sentence)).toMatch(words)
    expect(await traces(world, ada)).toEqual(before)
  })

  test('the limits of the wallet', async () => {
    const sentence = await shownQuote()
    await world.call('trading.setWalletPolicy', ada.userId, { wallet_ref: 'default', max_trade_usd: '1' })
    const before = await traces(world, ada)
    expect(await world.say(ada, sentence)).toMatch(/Status rejected\. .*1 USD/)
    expect(await traces(world, ada)).toEqual(before)
  })

  test('a quote that was traded elsewhere, and a key that another trade has', async () => {
    const elsewhere = async (change: object, quote: string) => {
      const { tokenIn, tokenOut } = (await world.ports.quotes.find(ada.userId, quote))!
      const swap = {
        chain_id: world.chain.info.id,
        token_in_address: tokenIn,
        token_out_address: tokenOut,
        slippage_bps: 50,
      }
      const input = { ...swap, amount_in: '0.1', amount_in_currency: 'token_units', simulate_only: false }
      const trade = { input, confirm: true, wallet_ref: 'default', ...change }
      const { output } = await world.call('trading.execute', ada.userId, trade)
      expect(output).toMatchObject({ status: 'success' })
    }
    const used = await shownQuote()
    await elsewhere({ quote_id: used.slice(8), idempotency_key: 'elsewhere' }, used.slice(8))
    expect(await world.say(ada, used)).toMatch(/Nothing was traded\. This quote was traded already/)
    const keyTaken = await shownQuote()
    await elsewhere({ idempotency_key: keyTaken.slice(8) }, keyTaken.slice(8))
    expect(await world.say(ada, keyTaken)).toMatch(
      /Nothing was traded\. This idempotency_key was used for another request/,
    )
    expect((await traces(world, ada)).executions).toHaveLength(2)
  })
})

describe('whatever an assistant writes', () => {
  test('the confirmed trade is shown after the confirmation, in text that the gateway writes', async () => {
    const assistant = quoting({ amount_in: '5', token_out_address: 'RUG' }, undefined, 'Your quote: 0.01 WETH to USDC.')
    const shown = await world.say(ada, 'quote something', { assistant })
    expect(shown).toMatch(
      /^Your quote: 0\.01 WETH to USDC\.\nIs this what you mean\? You sell 5 WETH, you receive about [\d.]+ RUG, at least [\d.]+ RUG\.\nQuote [0-9a-f-]{36}: on /,
    )
  })

  const misquoted: [text: string, change: object][] = [
    ['quote 0.01 WETH to USDC', { token_out_address: 'RUG', amount_in: '0.01' }],
    ['sell 500 USDC for WETH', { amount_in: '500' }],
    ['quote 0.01 WETH to USDC', { amount_in: '0.1' }],
    ['buy 300 USDC with WETH', { amount_in: '5' }],
    ['Wie viel USDC bekomme ich für 2 WETH?', { token_in_address: 'USDC', token_out_address: 'WETH', amount_in: '2' }],
    ['do not sell 0.1 WETH for USDC', {}],
    ['sell 0.1 WETH for USDC once it hits 4000', {}],
  ]

  test.each(drawn(misquoted, 3))(
    '%s: a quote that says otherwise is refused to it, and not shown',
    async (text, change) => {
      const refusals: unknown[] = []
      const assistant = assistantOf(async function* ({ tools }) {
        await quoteBy(tools, change).catch((refusal: unknown) => refusals.push(refusal))
        yield 'Here it is.'
      })
      expect(await world.say(ada, text, { assistant })).toBe('Here it is.')
      expect(refusals).toEqual([expect.objectContaining({ code: 'INVALID_ARGUMENT' })])
    },
  )

  test('the card says the sides in the language of the asker too, and asks where these are not proved', async () => {
    const assistant = quoting({})
    for (const [text, start] of [
      [
        'Verkaufe 0,1 WETH für USDC',
        /\nYou sell 0\.1 WETH, .*\. Du verkaufst 0\.1 WETH, du erhältst etwa [\d.]+ USDC,/,
      ],
      ['vende 0,1 WETH y dame USDC', /\nYou sell 0\.1 WETH, .*\. Vendes 0\.1 WETH, recibes aproximadamente /],
      ['échange 0,1 WETH contre USDC', /\nYou sell 0\.1 WETH, .*\. Tu vends 0\.1 WETH, tu reçois environ /],
      ['quero vender 0,1 WETH por USDC', /\nYou sell 0\.1 WETH, .*\. Você vende 0\.1 WETH, recebe cerca de /],
      ['vorrei vendere 0,1 WETH per USDC', /\nYou sell 0\.1 WETH, .*\. Vendi 0\.1 WETH, ricevi circa /],
      ['sell 0.1 WETH for USDC', /\nYou sell 0\.1 WETH, [^\n]* USDC\.\nQuote /],
      ['0.1 WETH or USDC', /\nIs this what you mean\? You sell 0\.1 WETH, /],
    ] as const)
      expect(await world.say(ada, text, { assistant })).toMatch(start)
  })

  test('a quote of before that it speaks of is shown again as it is', async () => {
    const sentence = sentenceOf(await world.say(ada, 'quote', { assistant: quoting({ amount_in: '5' }) }))
    await world.say(ada, 'another', { assistant: quoting({ amount_in: '0.3' }) })
    const assistant = assistantOf(async function* () {
      yield `The quote of 0.01 WETH is ready. Answer: ${sentence.slice(0, 20)}`
      yield sentence.slice(20)
    })
    const received = await world.say(ada, 'and now?', { assistant })
    expect(received).toMatch(
      /^The quote of 0\.01 WETH is ready\. Answer: confirm [0-9a-f-]{36}\nYou sell 5 WETH, .*\nQuote [0-9a-f-]{36}: on/,
    )
    expect(sentenceOf(received)).toBe(sentence)
    expect(await world.say(ada, 'yes')).toMatch(
      /^Nothing is traded before you confirm .*\nYou sell 5 WETH, .*\nQuote [0-9a-f-]{36}: on/,
    )
  })

  test('its quotes are shown with a sentence each, and the one that is confirmed is traded', async () => {
    const assistant = assistantOf(async function* ({ tools }) {
      for (const amount of ['0.1', '0.2']) await quoteBy(tools, { amount_in: amount })
      yield 'Two ways.'
    })
    const shown = await world.say(ada, 'compare', { assistant })
    const [first = ''] = /confirm [0-9a-f-]{36}/.exec(shown) ?? []
    expect(sentenceOf(shown)).not.toBe(first)
    expect(await world.say(ada, first, { assistant })).toMatch(/Swapped 0.1 WETH/)
    expect(await world.say(ada, 'yes', { assistant })).toMatch(/You sell 0\.2 WETH/)
  })
})

test('a quote that was requested for a wallet is traded from it', async () => {
  await world.call('trading.createWallet', ada.userId, { wallet_ref: 'savings' })
  const shown = await world.say(ada, 'quote', { assistant: quoting({}, 'savings') })
  expect(shown).toContain('To trade it from your wallet savings, ')
  expect(await world.say(ada, sentenceOf(shown))).toMatch(/from your wallet savings\..*\nStatus success/)
  const [execution] = (await world.ports.executions.list(ada.userId, { cursor: null }, 9)).items
  expect(execution).toMatchObject({ walletRef: 'savings', quoteId: sentenceOf(shown).slice(8) })
})

test('where the result of a trade is unknown, repeating the sentence reports it', async () => {
  const sentence = await shownQuote()
  const find = async () => await Promise.reject(new DomainError('UNAVAILABLE', 'The store rests.'))
  const executions = { ...world.ports.executions, find }
  const received = await world.say(ada, sentence, { executions })
  expect(received).toMatch(/\nThe status of the trade is not known yet: The store rests\. Send the same sentence again/)
  expect(await world.say(ada, sentence)).toMatch(/This quote was confirmed before.*\nStatus success/)
  expect((await traces(world, ada)).executions).toHaveLength(1)
})

test('an answer reads the facts of earlier answers, and messages of the request have none', async () => {
  const histories: AssistantRequest['history'][] = []
  const assistant = assistantOf(async function* ({ history, record }) {
    histories.push(history)
    record({ format: 'test/1', data: { replaced: true } })
    record({ format: 'test/1', data: { answer: histories.length } })
    yield 'Fine.'
  })
  await world.say(ada, 'one', { assistant })
  const sent = [
    { role: 'user', content: 'two' },
    { role: 'assistant', content: 'Fine.' },
    { role: 'user', content: 'three' },
  ] as const
  await world.say(ada, sent, { assistant })
  const facts = { quoteIds: [], state: { format: 'test/1', data: { answer: 1 } } }
  expect(histories).toEqual([
    [],
    [{ role: 'user', content: 'one' }, { role: 'assistant', content: 'Fine.', facts }, ...sent.slice(0, 2)],
  ])
})

test('of several messages the last one counts, and it cannot confirm a quote of the same request', async () => {
  const sentence = await shownQuote()
  const before = await traces(world, ada)
  const user = (content: string) => ({ role: 'user', content }) as const
  expect(await world.say(ada, [user(sentence), user('what is the price of WETH?')])).not.toMatch(/traded|Trading/)
  expect(await world.say(ada, 'quote 0.1 WETH to USDC and confirm')).toMatch(/Quote .*alone: confirm/)
  expect(await traces(world, ada)).toEqual(before)
  const received = await world.say(ada, [
    user('what is the price of WETH?'),
    { role: 'assistant', content: 'No idea.' },
    user(sentence),
  ])
  expect(received).toMatch(/Status success/)
})

type Tools = AssistantRequest['tools']

async function quoteBy(tools: Tools, change: object, wallet_ref?: string): Promise<void> {
  const swap = { token_in_address: 'WETH', token_out_address: 'USDC', amount_in: '0.1', slippage_bps: 50, ...change }
  await tools.get('trading_quote')?.run({ input: swap, ...(wallet_ref === undefined ? {} : { wallet_ref }) })
}

/** An assistant that quotes a swap and writes a given text. */
function quoting(change: object, wallet_ref?: string, says = 'Here it is.') {
  return assistantOf(async function* ({ tools }) {
    await quoteBy(tools, change, wallet_ref)
    yield says
  })
}
