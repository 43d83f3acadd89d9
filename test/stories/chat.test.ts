import { Client, credentials, Metadata } from '@grpc/grpc-js'
import { createTRPCUntypedClient, httpBatchStreamLink } from '@trpc/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { grpcMethods } from '../../generated/grpc/services.ts'
import { type Gateway, openGateway } from './gateway.ts'

type Piece = { id: string; role: string; content: string }

let gateway: Gateway
let grpc: Client
beforeAll(async () => {
  gateway = await openGateway()
  grpc = new Client(gateway.urls.grpc, credentials.createInsecure())
})
afterAll(async () => {
  grpc.close()
  await gateway[Symbol.asyncDispose]()
})

let people = 0
async function session(): Promise<string> {
  people += 1
  // biome-ignore lint/suspicious/noExplicitAny: the token is all that is needed of two answers
  const output = async (asked: ReturnType<typeof gateway.ask.rest>): Promise<any> => {
    const outcome = await asked
    if (!outcome.ok) throw new Error(outcome.message)
    return outcome.output
  }
  const credentials = { email: `chat${people}@example.com`, password: 'correct horse battery' }
  const user = await output(gateway.ask.rest('auth.register', credentials))
  return (await output(gateway.ask.rest('auth.createSession', {}, user.token.access_token))).token.access_token
}

const question = { messages: [{ role: 'user', content: 'quote 1 WETH to USDC' }] }

async function overRest(
  token: string,
  path = '/chat/stream',
  headers: Record<string, string> = {},
): Promise<{ text: string; pieces: Piece[] }> {
  const post = path === '/chat/stream'
  const response = await fetch(`${gateway.urls.http}/api/v1/chatbot${path}`, {
    method: post ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    ...(post ? { body: JSON.stringify(question) } : {}),
  })
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  const text = await response.text()
  const blocks = text.split('\n\n').filter((block) => block.startsWith('id: '))
  return {
    text,
    pieces: blocks.map((block) => ({
      id: block.slice(4, block.indexOf('\n')),
      ...JSON.parse(block.slice(block.indexOf('data: ') + 6)),
    })),
  }
}

async function overTrpc(token: string): Promise<{ pieces: Piece[] }> {
  const client = createTRPCUntypedClient({
    links: [httpBatchStreamLink({ url: `${gateway.urls.http}/trpc`, headers: { authorization: `Bearer ${token}` } })],
  })
  const pieces: Piece[] = []
  for await (const piece of (await client.mutation('chat.stream', question)) as AsyncIterable<Piece>) pieces.push(piece)
  return { pieces }
}

async function overGrpc(
  token: string,
  id: 'chat.stream' | 'chat.resume' = 'chat.stream',
  input: object = question,
): Promise<{ pieces: Piece[] }> {
  const metadata = new Metadata()
  metadata.set('authorization', `Bearer ${token}`)
  const { path, encodeRequest, decodeResponse } = grpcMethods[id]
  const call = grpc.makeServerStreamRequest(
    path,
    (bytes: Buffer) => bytes,
    (bytes: Buffer) => bytes,
    encodeRequest(input),
    metadata,
  )
  const pieces: Piece[] = []
  for await (const bytes of call) pieces.push(decodeResponse(bytes) as Piece)
  return { pieces }
}

test.each([
  ['REST', overRest],
  ['tRPC', overTrpc],
  ['gRPC', overGrpc],
] as const)('over %s an answer streams in pieces that join to what the history keeps', async (_name, stream) => {
  const token = await session()
  const { pieces } = await stream(token)
  expect(pieces.length).toBeGreaterThanOrEqual(2)
  const [streamId] = pieces[0]!.id.split(':')
  expect(pieces.map(({ id }) => id)).toEqual(pieces.map((_piece, index) => `${streamId}:${index + 1}`))
  const kept = await gateway.ask.rest('chat.history', {}, token)
  const joined = pieces.map(({ content }) => content).join('')
  expect(joined).toMatch(/1 WETH gives about [\d.]+ USDC/)
  expect(kept).toMatchObject({ output: { messages: [question.messages[0], { role: 'assistant', content: joined }] } })
})

test('the REST stream is written as the specification has it', async () => {
  const { text } = await overRest(await session())
  expect(text).toMatch(/data: \{"role":"assistant","content":".+"\}\n\n/)
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
})

test('a stream is taken up after any of its events, on another protocol too, by its own session alone', async () => {
  const token = await session()
  const { pieces } = await overRest(token)
  const [first, ...rest] = pieces
  const streamId = first!.id.split(':')[0]!
  expect((await overRest(token, `/chat/stream/${streamId}`, { 'last-event-id': first!.id })).pieces).toEqual(rest)
  expect((await overGrpc(token, 'chat.resume', { stream_id: streamId, after_id: first!.id })).pieces).toEqual(rest)
  expect((await overGrpc(token, 'chat.resume', { stream_id: streamId })).pieces).toEqual(pieces)
  const stranger = await session()
  await expect(overGrpc(stranger, 'chat.resume', { stream_id: streamId })).rejects.toThrow(/no such stream/)
})

test('an answer is finished and kept when its reader leaves', async () => {
  const token = await session()
  const leaving = new AbortController()
  const response = await fetch(`${gateway.urls.http}/api/v1/chatbot/chat/stream`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(question),
    signal: leaving.signal,
  })
  const streamId = response.headers.get('x-stream-id')
  leaving.abort()
  const { pieces } = await overGrpc(token, 'chat.resume', { stream_id: streamId })
  expect(pieces.at(-1)?.content).toMatch(/quote id/)
})

test('what it does not understand it asks about, and a follow-up uses what was said', async () => {
  const token = await session()
  const say = async (content: string) => {
    const outcome = await gateway.ask.trpc('chat.send', { messages: [{ role: 'user', content }] }, token)
    return JSON.stringify(outcome.ok ? outcome.output : outcome)
  }
  expect(await say('mumble mumble')).toMatch(/embedded-rules.*What would you like/)
  expect(await say('quote 1 WETH')).toMatch(/which token you want/)
  expect(await say('to USDC')).toMatch(/USDC/)
  expect(await say('quote 1 WETH to USDC')).toMatch(/gives about/)
  expect(await say('and for 2 WETH?')).toMatch(/2 WETH gives about [\d.]+ USDC/)
  expect(await say('swap 1 WETH to USDC')).toMatch(/I do not trade from chat/)
})
