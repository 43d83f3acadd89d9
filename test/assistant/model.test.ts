import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, type Event, eventsOf, output, refusalOf } from '../clients/client.ts'
import { drawn } from '../sized.ts'
import { newAccount, openWorld, protocols, type World } from '../world.ts'
import { type ModelProcess, startModel } from './model.ts'
import { calls, callsOf, refuses, says, type Turn, turn } from './script.ts'

const key = 'sk-a-key-that-nobody-may-see'
const swap = { token_in_address: 'WETH', token_out_address: 'USDC', amount_in: '1', amount_in_currency: 'token_units' }
const quoteArguments = { input: { ...swap, slippage_bps: 50 } }

let model: ModelProcess
let world: World
beforeAll(async () => {
  model = await startModel()
  const settings = { LLM_BASE_URL: model.url, LLM_MODEL: 'scripted', LLM_API_KEY: key, LLM_MAX_TOKENS: '500' }
  world = await openWorld(settings)
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await model[Symbol.asyncDispose]()
})

async function session(): Promise<string> {
  return (await newAccount(world.clients.rest)).token
}

const saying = (content: string) => ({ messages: [{ role: 'user', content }] })

/** Sets the script for a question, and returns the stream of its answer. */
async function ask(client: Client, name: string, ...turns: Turn[]): Promise<AsyncGenerator<Event>> {
  await model.teach({ [name]: turns })
  return client.stream('chat.stream', saying(`Swap 1 WETH to USDC, please #${name}`), await session())
}

async function textOf(events: AsyncIterable<Event>): Promise<string> {
  return (await eventsOf(events)).map(({ content }) => content).join('')
}

/** The received pieces, and the error that ended them; `onText` receives the text so far. */
async function brokenOff(events: AsyncGenerator<Event>, onText: (text: string) => Promise<void> = async () => {}) {
  let text = ''
  async function* seen() {
    for await (const event of events) {
      text += event.content
      await onText(text)
      yield event
    }
  }
  return { refusal: await refusalOf(seen()), text }
}

test.each(protocols)('over %s an answer is made in steps from tools called side by side', async (protocol) => {
  const client = world.clients[protocol]
  const name = `quote_${protocol}`
  const both = callsOf(
    says('Let me look. '),
    calls('trading_quote', quoteArguments, { parts: 9 }),
    calls('tools_oraclePrice', { pair: 'ETH/USD' }, { index: 1, parts: 3 }),
  )
  await model.teach({ [name]: [both, turn(says('You get ', '{{expected_out}} USDC; quote {{quote_id}}.'))] })
  const token = await session()
  const asked = saying(`What do I get for a WETH? #${name}`)
  const pieces = await eventsOf(client.stream('chat.stream', asked, token))
  const text = pieces.map(({ content }) => content).join('')
  expect(text).toMatch(
    /^Let me look\. \n\nYou get [\d.]+ USDC; quote ([0-9a-f-]{36})\.\nIs this what you mean\? You sell 1 WETH, you receive about .*\nQuote \1: on /,
  )
  expect(pieces.length).toBeGreaterThanOrEqual(3)
  const history = await output(client.call('chat.history', {}, token))
  expect(history.messages).toEqual([...asked.messages, { role: 'assistant', content: text }])
  const [first, second, ...more] = await model.requests(name)
  expect(more).toEqual([])
  expect(first).toMatchObject({ authorization: `Bearer ${key}`, body: { model: 'scripted', max_tokens: 500 } })
  expect(second?.body.max_tokens).toBe(490)
  const results = second?.body.messages.filter(({ role }) => role === 'tool').map(({ content }) => content ?? '')
  expect(results?.map((result) => Object.keys(JSON.parse(result)))).toEqual([['data'], ['data']])
})

test('a whole answer names the model, and a short one still streams in two pieces', async () => {
  await model.teach({ short: [turn(says('Yes.'))] })
  const { messages, model: named } = await output(
    world.clients.rest.call('chat.send', saying('Sure? #short'), await session()),
  )
  expect({ messages, named }).toEqual({ messages: [{ role: 'assistant', content: 'Yes.' }], named: 'scripted' })
  const pieces = await eventsOf(await ask(world.clients.grpc, 'short', turn(says('Yes.'))))
  expect(pieces.map(({ content }) => content)).toEqual(['Y', 'es.'])
})

test('a server that fails for a moment is tried again', async () => {
  const again = await ask(
    world.clients.trpc,
    'again',
    refuses(500, { 'retry-after-ms': '1' }),
    turn(says('Here I am.')),
  )
  expect(await textOf(again)).toBe('Here I am.')
})

test('a server that keeps failing is not called for as long as it requests', async () => {
  await model.teach({ busy: [refuses(429, { 'retry-after-ms': '1', 'retry-after': '40' })] })
  const refusal = await world.clients.rest.call('chat.send', saying('Hello #busy'), await session())
  expect(refusal).toMatchObject({ code: 'UNAVAILABLE', retryAfterSeconds: 40 })
  expect(await model.requests('busy')).toHaveLength(3)
})

test.each([
  [401, /LLM_API_KEY/],
  [404, /LLM_MODEL.*LLM_BASE_URL/],
  [400, /shorter message/],
  [302, /redirects, which is not followed\. Correct LLM_BASE_URL/],
])('a refusal with %i is not repeated, and tells what to do in words of ours', async (status, words) => {
  const name = `refused${status}`
  for (const client of drawn(Object.values(world.clients), 1)) {
    await model.teach({ [name]: [refuses(status)] })
    const refusal = await client.call('chat.send', saying(`Hello #${name}`), await session())
    expect(refusal).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringMatching(words) })
    expect(JSON.stringify(refusal)).not.toMatch(/provider words|sk-a-key/)
    expect(await model.requests(name)).toHaveLength(1)
  }
})

const cases: [string, Turn, RegExp][] = [
  ['too much', { events: [...says('Half of an ans'), 'x'.repeat(1_700_000)], end: 'done' }, /too large a response/],
  ['no end', { events: says('Half of an ans'), end: 'early' }, /not in its format/],
  ['no JSON', { events: [...says('Half of an ans'), '{"choices": [{'], end: 'done' }, /not in its format/],
  [
    'an error',
    { events: [...says('Half of an ans'), { error: { message: `provider words ${key}` } }], end: 'done' },
    /failed in its answer/,
  ],
]
test.each(cases)('%s in mid-stream is an error', async (what, broken, words) => {
  for (const client of drawn(Object.values(world.clients), 1)) {
    const name = what.replaceAll(' ', '_')
    const { refusal, text } = await brokenOff(await ask(client, name, broken))
    expect({ text, code: refusal.code }).toEqual({ text: 'Half of an ans', code: 'UNAVAILABLE' })
    const whole = await client.call('chat.send', saying(`And now? #${name}`), await session())
    expect(whole).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringMatching(words) })
    expect(JSON.stringify([refusal, whole])).not.toMatch(/provider words|sk-a-key/)
  }
})

test.each(protocols)('over %s a cut in mid-stream is an error after the text so far', async (protocol) => {
  const client = world.clients[protocol]
  const name = `cut_${protocol}`
  const events = await ask(client, name, { events: says('Half of ', 'an ans'), end: 'stall' })
  const { refusal, text } = await brokenOff(events, async (reported) => {
    if (reported === 'Half of an ans') await model.cut()
  })
  expect({ text, code: refusal.code }).toEqual({ text: 'Half of an ans', code: 'UNAVAILABLE' })
  const whole = client.call('chat.send', saying(`And now? #${name}`), await session())
  const answered = whole.then(() => true)
  const cut = async () => await Promise.race([model.cut().then(() => false), answered])
  await expect.poll(cut, { timeout: 120_000 }).toBe(true)
  expect(await whole).toMatchObject({
    code: 'UNAVAILABLE',
    message: expect.stringMatching(/closes the connection early/),
  })
})

test('a model that never stops calling tools is stopped after eight steps', async () => {
  const text = await textOf(await ask(world.clients.rest, 'endless', callsOf(calls('metrics_positions', {}))))
  expect(text).toMatch(/has reached the most allowed steps/)
  const requests = await model.requests('endless')
  const isTold = requests.map(({ body: { messages } }) => messages[0]?.content?.includes('Answer now') === true)
  expect(isTold).toEqual([...Array(7).fill(false), true])
})

test('an answer ends with the tokens that it may have', async () => {
  const dear = turn(calls('metrics_positions', {}), 'tool_calls', [100, 600])
  expect(await textOf(await ask(world.clients.rest, 'dear', dear))).toMatch(/has reached the most allowed steps/)
  expect(await model.requests('dear')).toHaveLength(1)
  const long = turn(says('It is long'), 'length')
  expect(await textOf(await ask(world.clients.rest, 'long', long))).toBe(
    'It is long\n\nThe answer has reached the longest allowed length and ends here. Ask for the rest.',
  )
  const boundless = turn(says(...Array(20).fill('and so on and on and so on '.repeat(20))))
  const text = await textOf(await ask(world.clients.rest, 'boundless', boundless))
  expect(text).toMatch(/on The answer has reached the longest/)
  expect(text.length).toBeLessThan(4_000)
})

test('a refusal of a tool reaches the model with code and message', async () => {
  const wrong = callsOf(
    calls('trading_quote', { input: { ...swap, token_in_address: 'NOSUCH', slippage_bps: 50 } }),
    calls('tools_oraclePrice', '["no object"]', { index: 1 }),
    calls('tools_oraclePrice', '{"pair": ', { index: 2 }),
  )
  await textOf(await ask(world.clients.rest, 'wrong', wrong, turn(says('I could not.'))))
  const [, second] = await model.requests('wrong')
  const results = second?.body.messages.filter(({ role }) => role === 'tool').map(({ content }) => content)
  expect(results).toEqual([
    expect.stringMatching(/^\{"error":\{"code":"INVALID_ARGUMENT","message":".*WETH.*"\}\}$/),
    '{"error":{"code":"INVALID_ARGUMENT","message":"The arguments must be a JSON object."}}',
    '{"error":{"code":"NOT_FOUND","message":"Call one of your tools, with arguments in JSON."}}',
  ])
})

test('a team hands over twice at most, and each agent has its own tools and prompt', async () => {
  const over = (team: string) => callsOf(calls('hand_over', { team, reason: 'theirs' }))
  const turns = [over('trading_team'), over('research_team'), over('risk_team'), turn(says('Well then.'))]
  await model.teach({ round: turns })
  const asked = saying('Is USDC a scam? #round')
  const token = await session()
  expect(await textOf(world.clients.rest.stream('chat.stream', asked, token))).toBe('Well then.')
  const requests = await model.requests('round')
  const reported = requests.map(
    ({ body: { messages } }) => /You are the (\w+) team/.exec(messages[0]?.content ?? '')?.[1],
  )
  expect(reported).toEqual(['risk', 'trading', 'research', 'research'])
  const offered = requests.map(({ body }) => body.tools?.some((tool) => tool.function.name === 'hand_over'))
  expect(offered).toEqual([true, true, false, false])
  expect(requests[0]?.body.tools?.map((tool) => tool.function.name)).not.toContain('metrics_positions')
})

test('an answer ends where one step of it calls more tools than one may', async () => {
  const many = Array.from({ length: 65 }, (_, index) => calls('trading_listChains', {}, { index }))
  const pieces = await eventsOf(await ask(world.clients.rest, 'many', callsOf(...many), turn(says('And', ' on.'))))
  const text = pieces.map(({ content }) => content).join('')
  expect(text).toBe('This answer has reached the most allowed steps and ends here. Ask for a part of it.')
  expect(await model.requests('many')).toHaveLength(1)
})

test('a caller that stops an answer stops the model', async () => {
  await model.teach({ stall: [{ events: says('Wait for', ' it'), end: 'stall' }] })
  const token = await session()
  const pieces: Event[] = []
  for await (const piece of world.clients.grpc.stream('chat.stream', saying('Go #stall'), token)) {
    pieces.push(piece)
    const [stream_id] = piece.id.split(':')
    if (pieces.length === 2) await output(world.clients.rest.call('chat.stop', { stream_id }, token))
  }
  await expect.poll(async () => (await model.requests('stall'))[0]?.left).toBe(true)
  const history = await output(world.clients.rest.call('chat.history', {}, token))
  expect(history.messages.at(-1)).toEqual({ role: 'assistant', content: 'Wait for it', incomplete: 'stopped' })
})

test('of a long conversation the model sees the newest messages that fit, whole, and always the question', async () => {
  await model.teach({ fit: [turn(says('All', ' right.'))] })
  const before = Array.from({ length: 30 }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `${index} ${'word '.repeat(1_500)}`,
  }))
  const messages = [...before, { role: 'user', content: 'And now? #fit' }]
  await output(world.clients.rest.call('chat.send', { messages }, await session()))
  const [request] = await model.requests('fit')
  const [reported, ...kept] = request?.body.messages ?? []
  expect(reported?.role).toBe('system')
  expect(kept.length).toBeGreaterThan(2)
  expect(kept.length).toBeLessThan(messages.length)
  expect(kept).toEqual(messages.slice(-kept.length))
  expect(kept[0]?.role).toBe('user')
})

const research = { defi_calls: [{ tool_name: 'tvl_get', arguments: { chain: 'sandbox' } }] }

test('research is summed up by the model, or by rules where it fails', async () => {
  const token = await session()
  const answer = {
    choices: [{ message: { role: 'assistant', content: 'The sandbox holds little.' }, finish_reason: 'stop' }],
  }
  // A request for a summary names no script, so its script has an empty name.
  await model.teach({ '': [{ events: [answer], end: 'done' }] })
  const { summary } = await output(world.clients.rest.call('research.preview', research, token))
  expect(summary).toBe('The sandbox holds little.')
  await model.teach({ '': [refuses(401)] })
  const fallen = await output(world.clients.rest.call('research.preview', research, token))
  expect(fallen.summary).toMatch(/holds .* USD/)
})
