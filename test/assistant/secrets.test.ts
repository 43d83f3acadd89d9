import { expect, test } from 'vitest'
import { restClient } from '../clients/rest.ts'
import { startGateway } from '../gateway-process.ts'
import { newAccount } from '../world.ts'
import { startModel } from './model.ts'
import { calls, callsOf, refuses, says, type Turn } from './script.ts'

const key = 'sk-a-key-that-nobody-may-see'

/** Responses by which a server may reveal the key. */
const tellTales: Turn[] = [
  { ...refuses(401, { 'x-key': key }), events: [JSON.stringify({ error: { message: `Incorrect key: ${key}` } })] },
  { ...refuses(400), events: [`no JSON ${key}`] },
  { ...refuses(302, { location: `http://127.0.0.1:1/${key}` }) },
  { events: [{ error: { message: key } }], end: 'done' },
  { events: [...says('Well'), `{"${key}`], end: 'done' },
  { events: says('Well'), end: 'cut' },
  callsOf(calls(key, `{"${key}`)),
]

test('start-up shows the model, and no log line at any level shows the key', async () => {
  await using model = await startModel()
  const settings = { LLM_BASE_URL: model.url, LLM_MODEL: 'scripted', LLM_API_KEY: key, LOG_LEVEL: 'trace' }
  await using gateway = await startGateway(null, settings)
  expect(gateway.said()).toContain(`Assistant: language model scripted at ${new URL(model.url).host}`)
  const client = restClient(gateway.urls.http)
  const { token } = await newAccount(client)
  for (const [index, turn] of tellTales.entries()) {
    await model.teach({ [`tale${index}`]: [turn] })
    const asked = { messages: [{ role: 'user', content: `Who are you? #tale${index}` }] }
    const answer = await client.call('chat.send', asked, token)
    expect(JSON.stringify(answer)).not.toContain(key)
    expect((await model.requests(`tale${index}`))[0]?.authorization).toBe(`Bearer ${key}`)
  }
  await gateway.stop()
  const said = gateway.said() + gateway.complaints()
  expect(said).toContain('request')
  expect(said).toContain('assistant reply')
  expect(said).not.toContain(key)
})
