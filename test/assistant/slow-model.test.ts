import { afterAll, beforeAll, expect, test } from 'vitest'
import { createModelAssistant } from '../../src/adapters/assistant/model-assistant.ts'
import type { TokensUsed } from '../../src/domain/ports/assistant.ts'
import { newAccount, openWorld, protocols, type World } from '../world.ts'
import { type ModelProcess, startModel } from './model.ts'
import { says, turn } from './script.ts'

let model: ModelProcess
let world: World
beforeAll(async () => {
  model = await startModel()
  world = await openWorld({ LLM_BASE_URL: model.url, LLM_MODEL: 'slow', LLM_SILENCE_SECONDS: '1' })
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await model[Symbol.asyncDispose]()
})

test.each(protocols)('over %s a server that falls silent is left alone', async (by) => {
  const client = world.clients[by]
  await model.teach({
    silent: [{ events: [], end: 'stall' }],
    stalled: [{ events: says('I was about'), end: 'stall' }],
  })
  const { token } = await newAccount(client)
  for (const name of ['silent', 'stalled']) {
    const asked = { messages: [{ role: 'user', content: `Well? #${name}` }] }
    const refusal = await client.call('chat.send', asked, token)
    expect(refusal).toMatchObject({ code: 'DEADLINE_EXCEEDED', message: expect.stringMatching(/took too long/) })
    await expect.poll(async () => (await model.requests(name)).map(({ left }) => left)).toEqual([true])
  }
})

/** The assistant alone, without a gateway. */
function assistantAt(baseUrl: string, timeoutMs = 60_000) {
  const team = { name: 'only', work: 'all', prompt: 'Answer.', operations: [] }
  return createModelAssistant({
    baseUrl,
    model: 'slow',
    apiKey: undefined,
    tokensField: 'max_completion_tokens',
    maxTokens: 500,
    contextTokens: 8_000,
    timeoutMs,
    silenceMs: 60_000,
    teams: { all: [team], first: () => team },
    summaryOf: () => '',
    failed: () => undefined,
  })
}

/** A request with a text that collects its reported costs. */
function requestOf(text: string) {
  const received: TokensUsed[] = []
  const { signal } = new AbortController()
  const report = (used: TokensUsed) => void received.push(used)
  return { received, asked: { history: [], text, tools: new Map(), signal, report, record: () => undefined } }
}

const isSome = expect.toSatisfy((tokens: number) => tokens > 0)
const someTokens = { inputTokens: isSome, outputTokens: isSome }

test('an answer that never ends is ended by its time, however alive the server is', async () => {
  await model.teach({ endless: [{ events: says('I was about'), end: { pingMs: 20 } }] })
  const { asked } = requestOf('Well? #endless')
  await expect(Array.fromAsync(assistantAt(model.url, 300).reply(asked))).rejects.toMatchObject({
    code: 'DEADLINE_EXCEEDED',
    message: expect.stringMatching(/did not finish within 0.3 s/),
  })
  await expect.poll(async () => (await model.requests('endless')).map(({ left }) => left)).toEqual([true])
  const [request] = await model.requests('endless')
  expect(request?.body).toMatchObject({ max_completion_tokens: 500 })
  expect(request?.body).not.toHaveProperty('max_tokens')
})

test('the cost of an answer is the one that the server reports, else an estimate, also where the answer is cut off', async () => {
  const endless = says(...Array(20).fill('and so on and on and so on '.repeat(20)))
  await model.teach({
    whole: [turn(says('It', ' is'), 'stop', [100, 10])],
    torn: [{ events: [...says('I was about'), { error: { message: 'No more.' } }], end: 'done' }],
    long: [turn(endless)],
  })
  const assistant = assistantAt(model.url)
  const [whole, torn, long, left] = [requestOf('#whole'), requestOf('#torn'), requestOf('#long'), requestOf('#long')]
  await Array.fromAsync(assistant.reply(whole.asked))
  expect(whole.received).toEqual([{ inputTokens: 100, outputTokens: 10 }])
  await expect(Array.fromAsync(assistant.reply(torn.asked))).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(torn.received).toEqual([someTokens])
  await Array.fromAsync(assistant.reply(long.asked))
  expect(long.received).toEqual([{ inputTokens: isSome, outputTokens: expect.toSatisfy((tokens) => tokens > 1_000) }])
  for await (const _ of assistant.reply(left.asked)) break
  expect(left.received).toEqual([someTokens])
})

test('a summary reports its cost', async () => {
  const completion = { id: '1', object: 'chat.completion', created: 1, model: 'slow' }
  const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'All is well.' } }]
  const usage = { prompt_tokens: 70, completion_tokens: 5, total_tokens: 75 }
  await model.teach({ sum: [{ events: [{ ...completion, choices, usage }], end: 'done' }] })
  const { asked, received } = requestOf('')
  const findings = { parts: [{ part: 'defi_results.0', state: 'ok', message: '#sum' }] }
  expect(await assistantAt(model.url).summarize(findings, asked)).toBe('All is well.')
  expect(received).toEqual([{ inputTokens: 70, outputTokens: 5 }])
})
