import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { eventsOf, output } from '../clients/client.ts'
import { restClient } from '../clients/rest.ts'
import { fuzzSeed } from '../contract/property-settings.ts'
import { dataFolder } from '../data-folder.ts'
import { runCommand } from '../run-command.ts'
import { fundedAccount } from '../world.ts'
import { openTarget, operatorToken } from './gateway.ts'
import { isQuick, sharesOf } from './samples.ts'

const root = join(import.meta.dirname, '../..')

test('Schemathesis finds REST to be what its document says', async (context) => {
  await using target = await openTarget()
  using folder = dataFolder()
  const asked = await prepare(target.gateway.urls.http, folder.path)
  await target.attack('REST by Schemathesis', async (tally) => {
    // The systematic cases and the chains of calls take most of the time, and cannot be reduced.
    const phases = isQuick ? 'examples,fuzzing' : 'examples,coverage,fuzzing,stateful'
    const examples = ['--max-examples', String(sharesOf(30)), '--seed', String(fuzzSeed), '--phases', phases]
    const run = join(import.meta.dirname, 'schemathesis/run.sh')
    const { code, output: said } = await runCommand('bash', [run, ...examples], {
      limitSeconds: 600,
      env: { ...process.env, ...asked, WORK_DIR: folder.path, OPENAPI: documentIn(folder.path) },
    })
    if (code === 77) {
      console.log(`FUZZ REST by Schemathesis: SKIPPED, ${said.trim()}`)
      context.skip(said.trim())
    }
    if (code !== 0) console.log(said, target.gateway.complaints())
    expect(code).toBe(0)
    const counted = (status: string) => Number(new RegExp(`^ANSWERS.* ${status}=(\\d+)`, 'm').exec(said)?.[1] ?? 0)
    tally.answered = counted('2xx')
    tally.refused = counted('4xx')
    tally.sent = tally.answered + tally.refused + counted('5xx')
  })
})

/**
 * The document with each event stream as the events that Schemathesis makes of it: it takes the schema of the media type,
 * which is that of the whole text before OpenAPI 3.2, for one event.
 */
function documentIn(folder: string): string {
  const text = readFileSync(join(root, 'openapi/openapi.json'), 'utf8')
  const document = JSON.parse(text, (key, value) =>
    key === 'text/event-stream' ? { schema: { type: 'object', properties: { data: { type: 'string' } } } } : value,
  )
  const path = join(folder, 'openapi.json')
  writeFileSync(path, JSON.stringify(document))
  return path
}

/** An account with one of each thing that is requested by id, written to files of these names, and its tokens. */
async function prepare(url: string, folder: string): Promise<Record<string, string>> {
  const client = restClient(url)
  const { token, userToken, trade } = await fundedAccount(client)
  const session = await output(client.call('auth.createSession', {}, userToken))
  const execution = await output(client.call('trading.execute', trade('WETH', 'USDC', '0.01', 'once'), token))
  const market = { symbol: 'ETHUSDC', streams: ['trade'] }
  const subscription = await output(client.call('tools.subscribeExchange', market, token))
  const messages = [{ role: 'user', content: 'What is ETH worth?' }]
  const [event] = await eventsOf(client.stream('chat.stream', { messages }, token))
  const ids = {
    sessions: session.session_id,
    executions: execution.execution_id,
    subscriptions: subscription.subscription_id,
    streams: event.id.split(':')[0],
  }
  for (const [name, id] of Object.entries(ids)) writeFileSync(join(folder, `${name}.txt`), JSON.stringify(id))
  return { REST_URL: url, USER_TOKEN: userToken, SESSION_TOKEN: token, OPERATOR_TOKEN: operatorToken }
}
