import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, type Event, eventsOf, output, refusalOf } from '../clients/client.ts'
import { dataFolder } from '../data-folder.ts'
import { drawn } from '../sized.ts'
import { newAccount, openWorld, protocols, type World } from '../world.ts'
import { type ModelProcess, startModel } from './model.ts'
import { calls, callsOf, chunk, says, type Turn, turn } from './script.ts'

const folder = dataFolder()
let model: ModelProcess
let world: World
const open = async () =>
  await openWorld({ LLM_BASE_URL: model.url, LLM_MODEL: 'scripted', LLM_MAX_TOKENS: '500', DATA_DIR: folder.path })
beforeAll(async () => {
  model = await startModel()
  world = await open()
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await model[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

let asked = 0

/** Asks a model that answers with turns. */
async function ask(client: Client, turns: Turn[]) {
  asked += 1
  const name = `q${asked}`
  await model.teach({ [name]: turns })
  const { token } = await newAccount(client)
  const question = { messages: [{ role: 'user', content: `Well? #${name}` }] }
  const last = async () => (await output(client.call('chat.history', {}, token))).messages.at(-1)
  return { name, events: client.stream('chat.stream', question, token), last }
}

/** What a client received of an answer, what is stored, and what was asked of the model. */
async function answerTo(client: Client, ...turns: Turn[]) {
  const { name, events, last } = await ask(client, turns)
  const pieces = await eventsOf(events)
  const text = pieces.map(({ content }) => content).join('')
  return { pieces, text, stored: (await last())?.content, requests: await model.requests(name) }
}

/** The refusal that ended an answer, what a client received before, and what is stored. */
async function refusedTo(client: Client, ...turns: Turn[]) {
  const { events, last } = await ask(client, turns)
  let text = ''
  async function* seen() {
    for await (const event of events) {
      text += event.content
      yield event
    }
  }
  return { refusal: await refusalOf(seen()), text, stored: await last() }
}

const isWhole = (text: string) => text.isWellFormed() && !text.includes('\ufffd')

describe.each(drawn(protocols, 1))('over %s', (by) => {
  test.each([
    ['a rocket', ['To the moon \ud83d', '\ude80!'], 'To the moon 🚀!'],
    ['a letter of a later plane, alone in its pieces', ['\ud840', '\udc00'], '𠀀'],
    ['a family', ['My \ud83d', '\udc68\u200d\ud83d', '\udc67 is well'], 'My 👨‍👧 is well'],
    ['a half that stays alone', ['All is well \ud83d'], 'All is well '],
    ['a half before something else', ['Up \ud83d', 'and away'], 'Up \ufffdand away'],
  ])('%s in halves arrives whole', async (_what, pieces, said) => {
    const answer = await answerTo(world.clients[by], turn(says(...pieces)))
    expect([answer.text, answer.stored]).toEqual([said, said])
    if (!said.includes('\ufffd')) for (const { content } of answer.pieces) expect(isWhole(content)).toBe(true)
  })

  test.each([
    ['at once', ['<think>They want my secret.</think>\n\nNo.'], 'No.'],
    ['in splinters', [...'<think>A secret, <b>bold</b></think> Never. '], 'Never. '],
    ['empty', ['<think>', '\n\n', '</think>', '\n\n', 'Yes.'], 'Yes.'],
    ['amid the answer', ['One. <thi', 'nk>a secret</thin', 'k>Two.'], 'One. \nTwo.'],
    ['open, after an answer', ['Done. <think>a secret'], 'Done. '],
  ])('thoughts %s are neither shown nor stored', async (_how, pieces, said) => {
    const answer = await answerTo(world.clients[by], turn(says(...pieces)))
    expect([answer.text, answer.stored]).toEqual([said, said])
  })

  test.each([
    ['closed', ['<think>a secret</think>', '\n ']],
    ['open', ['<think>a sec', 'ret']],
    ['open to the longest length', ['<think>a sec', 'ret'], 'length'],
    ['far beyond that length', ['<think>', ...Array(200).fill('a secret and a secret. ')]],
    ['of a field', []],
  ])('an answer of thoughts alone, %s, is none', async (_how, pieces: string[], reason = 'stop') => {
    const thought = chunk({ reasoning_content: 'a secret' })
    const { refusal, text } = await refusedTo(world.clients[by], turn([thought, ...says(...pieces)], reason))
    expect({ code: refusal.code, text }).toEqual({ code: 'UNAVAILABLE', text: '' })
  })
})

test.each<[string, Turn]>([
  ['an error', { events: [...says('Half of ', 'it'), { error: { message: 'no more' } }], end: 'done' }],
  [
    'an error in an event of that name',
    { events: [...says('Half of ', 'it'), { raw: 'event: error\ndata: {}\n\n' }], end: 'done' },
  ],
  ['words in place of an event', { events: [...says('Half of ', 'it'), 'upstream connect error'], end: 'done' }],
  ['an object that is no event', { events: [...says('Half of ', 'it'), { detail: 'overloaded' }], end: 'done' }],
  ['a text as an event', { events: [...says('Half of ', 'it'), '"upstream connect error"'], end: 'done' }],
  [
    'an error in words',
    { events: [...says('Half of ', 'it'), { raw: 'event: error\ndata: Internal Error\n\n' }], end: 'done' },
  ],
  [
    'a forged mark',
    { events: [...says('Half of ', 'it'), { error: { type: 'trident_broken_off', message: 'ha' } }], end: 'done' },
  ],
  ['an event that is no JSON', { events: [...says('Half of ', 'it'), '{"choices": [{'], end: 'done' }],
  ['too much', { events: [...says('Half of ', 'it'), 'x'.repeat(1_700_000)], end: 'done' }],
  ['an end without a reason', { events: says('Half of ', 'it'), end: 'early' }],
])('what came before %s stays', async (_what, broken) => {
  const { refusal, text, stored } = await refusedTo(world.clients.grpc, broken)
  expect({ code: refusal.code, text }).toEqual({ code: 'UNAVAILABLE', text: 'Half of it' })
  expect(stored).toEqual({ role: 'assistant', content: 'Half of it', incomplete: 'failed' })
})

/** An answer that ends with `[DONE]` and without a reason. */
const endless = (...events: unknown[]): Turn => ({ events, end: 'done' })

test.each<[string, Turn]>([
  ['ends with [DONE] alone', endless(...says('All is', ' well.'))],
  ['ends with a reason that is null', endless(...says('All is', ' well.'), chunk({}, null))],
  ['begins with a comment', endless({ raw: ': PROCESSING\n\n' }, ...says('All is', ' well.'))],
  ['begins with a ping that has a name', endless({ raw: 'event: ping\ndata: {}\n\n' }, ...says('All is well.'))],
  ['begins with a ping in JSON', endless({ type: 'ping' }, ...says('All is well.'))],
  ['begins with a ping in words', endless('ping', ...says('All is well.'))],
  [
    'has an event of several lines',
    endless({ raw: `data: {"choices":\ndata: [{"delta":{"content":"All is well."}}]}\n\n` }),
  ],
  ['ends without an empty line', { events: [...says('All is well.'), { raw: 'data: [DONE]\n' }], end: 'early' }],
  [
    'ends with a reason and no empty line',
    { events: [...says('All is well.'), { raw: `data: ${JSON.stringify(chunk({}, 'stop'))}` }], end: 'early' },
  ],
  ['has spaces around its end', { events: [...says('All is well.'), { raw: 'data:  [DONE] \n\n' }], end: 'early' }],
  ['has errors that are null', endless({ ...says('All is well.')[0], error: null })],
  ['has empty calls of tools', endless(chunk({ content: 'All is well.', tool_calls: [] }))],
  ['has lines as Windows ends them', endless({ raw: ':\r\n\r\n' }, ...says('All is', ' well.'))],
  ['counts in an event without choices', endless(...says('All is well.'), { usage: { completion_tokens: 3 } })],
])('a stream that %s is read', async (_what, events) => {
  expect((await answerTo(world.clients.rest, events)).text).toBe('All is well.')
})

test.each(['Text/Event-Stream', 'text/plain', 'application/octet-stream'])(
  'a stream may call itself %s',
  async (type) => {
    const answer = await answerTo(world.clients.rest, {
      ...endless(...says('All is well.')),
      headers: { 'content-type': type },
    })
    expect(answer.text).toBe('All is well.')
  },
)

test.each<[string, (call: object) => Turn]>([
  ['with its reason', (call) => turn([call], 'tool_calls')],
  ['with another reason', (call) => turn([call], 'stop')],
  ['without a reason', (call) => endless(call)],
])('arguments of a tool may be an object, %s', async (_what, made) => {
  const call = { index: 0, id: 'c', function: { name: 'tools_oraclePrice', arguments: { pair: 'ETH/USD' } } }
  const answer = await answerTo(world.clients.rest, made(chunk({ tool_calls: [call] })), turn(says('Well.')))
  expect(answer.text).toBe('Well.')
  const results = answer.requests[1]?.body.messages.filter(({ role }) => role === 'tool')
  expect(results).toMatchObject([{ content: expect.stringMatching(/^\{"data":\{.*"price"/) }])
})

test('thoughts between calls of tools are no text, and steps are parted once', async () => {
  const { text } = await answerTo(
    world.clients.trpc,
    callsOf(says('Let me see.', '<think>a secret</think>'), calls('tools_oraclePrice', { pair: 'ETH/USD' })),
    turn(says('<think>and another</think>', '\n\nHere it is.')),
  )
  expect(text).toBe('Let me see.\n\nHere it is.')
})

test('thoughts from between tags are not sent back, and reasoning that a server sends as such is', async () => {
  const price = calls('tools_oraclePrice', { pair: 'ETH/USD' })
  const tagged = await answerTo(
    world.clients.rest,
    callsOf(says('<think>a secret</think>', 'So.'), price),
    turn(says('Well.')),
  )
  const given = chunk({ reasoning_content: 'a thought' })
  const own = await answerTo(world.clients.rest, callsOf([given], says('So.'), price), turn(says('Well.')))
  const back = ({ requests }: typeof own) => requests[1]?.body.messages.filter(({ role }) => role === 'assistant')
  expect(JSON.stringify(back(tagged))).not.toMatch(/secret|reasoning/)
  expect(back(own)).toMatchObject([{ reasoning_content: 'a thought', content: 'So.' }])
})

test('thoughts count against the tokens that an answer may have', async () => {
  const step = (): Turn => ({
    events: [
      ...says(`<think>${'a secret '.repeat(90)}</think>`),
      ...calls('tools_oraclePrice', { pair: 'ETH/USD' }),
      chunk({}, 'tool_calls'),
    ],
    end: 'done',
  })
  const { requests } = await answerTo(world.clients.rest, step(), step(), step(), step())
  const most = requests.map(({ body }) => body.max_tokens ?? 0)
  expect(most[0]).toBe(500)
  expect(most.length).toBeLessThan(4)
  expect(most[1]).toBeLessThan(400)
})

test('an answer that begins with an indented line keeps it', async () => {
  expect((await answerTo(world.clients.rest, turn(says('\n  ', '  let x', ' = 1')))).text).toBe('    let x = 1')
})

test('a summary has no thoughts, also where they were not closed', async () => {
  const { token } = await newAccount(world.clients.rest)
  const research = { defi_calls: [{ tool_name: 'tvl_get', arguments: { chain: 'sandbox' } }] }
  const summaryOf = async (content: string) => {
    const choices = [{ message: { role: 'assistant', content }, finish_reason: 'stop' }]
    await model.teach({ '': [{ events: [{ choices }], end: 'done' }] })
    return (await output(world.clients.rest.call('research.preview', research, token))).summary
  }
  expect(await summaryOf('<think>a secret</think>\nIt holds little.')).toBe('It holds little.')
  expect(await summaryOf('It holds little.<think>a secret')).toBe('It holds little.')
  expect(await summaryOf('<think>a secret')).toMatch(/holds .* USD/)
})

test('a character in halves is whole for a reader that was cut off between them, and after a restart', async () => {
  await model.teach({
    later: [{ events: says('One \ud83d'), end: { later: [...says('\ude80 two'), chunk({}, 'stop')] } }],
  })
  const { rest } = world.clients
  const { token } = await newAccount(rest)
  const question = { messages: [{ role: 'user', content: 'Well? #later' }] }
  const first: Event[] = []
  const leaving = new AbortController()
  for await (const piece of rest.stream('chat.stream', question, token, leaving.signal)) {
    first.push(piece)
    break
  }
  leaving.abort()
  await model.goOn()
  const last = first.at(-1)?.id ?? ''
  const [stream_id] = last.split(':')
  const others = await eventsOf(rest.stream('chat.resume', { stream_id, after_id: last }, token))
  const text = [...first, ...others].map(({ content }) => content).join('')
  expect(text).toBe('One 🚀 two')
  for (const { content } of others) expect(isWhole(content)).toBe(true)
  await world[Symbol.asyncDispose]()
  world = await open()
  const { messages } = await output(world.clients.grpc.call('chat.history', {}, token))
  expect(messages.at(-1)).toEqual({ role: 'assistant', content: 'One 🚀 two' })
})
