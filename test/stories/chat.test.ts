import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, type Event, eventsOf, output, refusalOf } from '../clients/client.ts'
import { newAccount, protocols, sharedWorld, type World } from '../world.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})
afterAll(async () => await world[Symbol.asyncDispose]())

const question = { messages: [{ role: 'user', content: 'quote 1 WETH to USDC' }] }

async function session(): Promise<string> {
  return (await newAccount(world.clients.rest)).token
}

function ask(client: Client, token: string): Promise<Event[]> {
  return eventsOf(client.stream('chat.stream', question, token))
}

function resume(client: Client, token: string, stream_id: string, after_id?: string): Promise<Event[]> {
  return eventsOf(client.stream('chat.resume', { stream_id, ...(after_id === undefined ? {} : { after_id }) }, token))
}

test.each(protocols)('over %s an answer streams in pieces that join to what the history keeps', async (protocol) => {
  const token = await session()
  const pieces = await ask(world.clients[protocol], token)
  expect(pieces.length).toBeGreaterThanOrEqual(2)
  const [streamId] = pieces[0].id.split(':')
  const numbers = pieces.map(({ id }) => Number(id.slice(streamId.length + 1)))
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
  const kept = await output(world.clients.rest.call('chat.history', {}, token))
  const joined = pieces.map(({ content }) => content).join('')
  expect(joined).toMatch(/1 WETH gives about [\d.]+ USDC/)
  expect(kept).toMatchObject({ messages: [question.messages[0], { role: 'assistant', content: joined }] })
})

async function rawStream(token: string, signal?: AbortSignal): Promise<Response> {
  return await fetch(`${world.urls.http}/api/v1/chatbot/chat/stream`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(question),
    ...(signal === undefined ? {} : { signal }),
  })
}

test.each(protocols)(
  'over %s typed events report what the assistant does, where they are requested',
  async (protocol) => {
    const token = await session()
    const client = world.clients[protocol]
    const typed = await eventsOf(client.stream('chat.stream', { ...question, events: true }, token))
    const names = typed.map(({ event }) => event)
    const named = (name: string): Event => typed.find(({ event }) => event === name)
    expect(names.filter((name) => name !== 'text')).toEqual(['tool_started', 'tool_result', 'quote_card', 'done'])
    const { call_id } = named('tool_started')
    expect(named('tool_started')).toMatchObject({ content: '', tool: 'trading_quote' })
    expect(named('tool_result')).toMatchObject({ call_id, tool: 'trading_quote', ok: true })
    const { quote, swap } = named('quote_card')
    expect(swap).toMatchObject({
      token_out_address: quote.route.at(-1),
      amount_in: '1',
      slippage_bps: quote.slippage_bps,
    })
    expect(quote).toMatchObject({ slippage_bps: 50, venue: expect.any(String) })
    expect(named('done')).toMatchObject({ content: '', ended: 'done' })
    const [stream_id] = typed[0].id.split(':')
    const plain = await resume(client, token, stream_id)
    const pieces = typed.filter(({ event }) => event === 'text').map(({ event: _, ...piece }) => piece)
    expect(plain).toEqual(pieces)
    expect(plain.map(({ content }) => content).join('')).toContain(quote.quote_id)
    const after = { stream_id, after_id: named('tool_result').id, events: true }
    expect((await eventsOf(client.stream('chat.resume', after, token)))[0]).toEqual(named('quote_card'))
  },
)

test('a reader that knows the words of the specification alone reads the whole answer', async () => {
  const token = await session()
  const response = await rawStream(token)
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  const pieces: string[] = []
  let isDone = false
  for (const block of (await response.text()).split('\n\n')) {
    if (!block.startsWith('data: ')) continue
    const data = block.slice('data: '.length)
    if (data === '[DONE]') isDone = true
    else pieces.push(JSON.parse(data).content)
  }
  expect([isDone, pieces.length > 1]).toEqual([true, true])
  const { messages } = await output(world.clients.rest.call('chat.history', {}, token))
  expect(pieces.join('')).toBe(messages.at(-1).content)
})

test('a stream resumes after any of its events, on another protocol too, for its own session only', async () => {
  const token = await session()
  const pieces = await ask(world.clients.rest, token)
  const [first, ...rest] = pieces
  const streamId = first.id.split(':')[0]
  const stranger = await session()
  for (const client of Object.values(world.clients)) {
    expect(await resume(client, token, streamId, first.id)).toEqual(rest)
    expect(await resume(client, token, streamId)).toEqual(pieces)
    const stolen = await refusalOf(client.stream('chat.resume', { stream_id: streamId }, stranger))
    expect(stolen).toMatchObject({ code: 'NOT_FOUND', message: expect.stringMatching(/no such stream/) })
  }
})

test('an answer is finished and stored when its reader disconnects', async () => {
  const token = await session()
  const leaving = new AbortController()
  const streamId = (await rawStream(token, leaving.signal)).headers.get('x-stream-id')
  leaving.abort()
  const pieces = await resume(world.clients.grpc, token, streamId ?? '')
  expect(pieces.at(-1)?.content).toMatch(/confirm [0-9a-f-]{36}$/)
})

test('an unclear message is met with a question, and a follow-up uses the earlier messages', async () => {
  const token = await session()
  const say = async (content: string) => {
    const said = { messages: [{ role: 'user', content }] }
    return JSON.stringify(await output(world.clients.trpc.call('chat.send', said, token)))
  }
  expect(await say('mumble mumble')).toMatch(/embedded-rules.*What would you like/)
  expect(await say('quote 1 WETH')).toMatch(/which token you want/)
  expect(await say('to USDC')).toMatch(/USDC/)
  expect(await say('quote 1 WETH to USDC')).toMatch(/gives about/)
  expect(await say('and for 2 WETH?')).toMatch(/2 WETH gives about [\d.]+ USDC/)
  expect(await say('swap 1 WETH to USDC')).toMatch(/reply with this sentence alone: confirm [0-9a-f-]{36}/)
})
