import { afterAll, beforeAll, expect, test } from 'vitest'
import { createModelAssistant } from '../../src/adapters/assistant/model-assistant.ts'
import { newAccount, openWorld, protocols, type World } from '../world.ts'
import { type ModelProcess, startModel } from './model.ts'
import { says } from './script.ts'

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

/** What the assistant answers by itself, without a gateway around it. */
async function answerOf(baseUrl: string, text: string): Promise<string[]> {
  const team = { name: 'only', work: 'all', prompt: 'Answer.', operations: [] }
  const assistant = createModelAssistant({
    ...{ baseUrl, model: 'slow', apiKey: undefined, tokensField: 'max_completion_tokens', maxTokens: 500 },
    ...{ contextTokens: 8_000, timeoutMs: 300, silenceMs: 60_000, teams: { all: [team], first: () => team } },
    ...{ summaryOf: () => '', failed: () => undefined },
  })
  const { signal } = new AbortController()
  return await Array.fromAsync(
    assistant.reply({ history: [], text, tools: new Map(), signal, report: () => undefined }),
  )
}

test('an answer that never ends is ended by its time, however alive the server is', async () => {
  await model.teach({ endless: [{ events: says('I was about'), end: { pingMs: 20 } }] })
  await expect(answerOf(model.url, 'Well? #endless')).rejects.toMatchObject({
    code: 'DEADLINE_EXCEEDED',
    message: expect.stringMatching(/did not finish within 0.3 s/),
  })
  await expect.poll(async () => (await model.requests('endless')).map(({ left }) => left)).toEqual([true])
  const [request] = await model.requests('endless')
  expect(request?.body).toMatchObject({ max_completion_tokens: 500 })
  expect(request?.body).not.toHaveProperty('max_tokens')
})
