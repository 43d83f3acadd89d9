import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, eventsOf, output } from '../clients/client.ts'
import { type Account, fundedAccount, protocols, sharedWorld, type World } from '../world.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})
afterAll(async () => await world[Symbol.asyncDispose]())

async function say(client: Client, { token }: Account, ...contents: string[]): Promise<string> {
  const messages = contents.map((content) => ({ role: 'user', content }))
  const { messages: said } = await output(client.call('chat.send', { messages, when_busy: 'queue' }, token))
  return said.map(({ content }: { content: string }) => content).join('')
}

/** The sentence at the end of an answer that the user must send. */
function sentenceOf(answer: string): string {
  return /confirm [0-9a-f-]{36}$/m.exec(answer)?.[0] ?? `no sentence in: ${answer}`
}

async function executionsOf({ token }: Account) {
  return (await output(world.clients.rest.call('trading.listExecutions', {}, token))).items
}

const noncesOf = async ({ wallet }: Account) => await world.askChain('eth_getTransactionCount', [wallet, 'pending'])

test.each(protocols)('over %s a quote is traded by its sentence, once', async (protocol) => {
  const client = world.clients[protocol]
  const ada = await fundedAccount(client)
  const shown = await say(client, ada, 'swap 0.1 WETH for USDC')
  expect(shown).toMatch(
    /You sell 0\.1 WETH, you receive about [\d.]+ USDC, at least [\d.]+ USDC\.\nQuote [0-9a-f-]{36}: on \w+, .*from your wallet default/,
  )
  expect(await executionsOf(ada)).toEqual([])

  const sentence = sentenceOf(shown)
  const seen = await say(client, ada, sentence)
  const [execution, ...more] = await executionsOf(ada)
  expect(more).toEqual([])
  expect(execution).toMatchObject({
    status: 'success',
    idempotency_key: sentence.slice(8),
    quote_id: sentence.slice(8),
    agent: 'trading_team',
  })
  expect(seen).toContain('Status success. Swapped 0.1 WETH for ')
  expect(seen).toMatch(/Filled: 0\.1 WETH sold, [\d.]+ USDC received, [\d.]+ ETH paid for gas\./)
  for (const fact of [
    execution.execution_id,
    execution.tx_hash,
    execution.explorer_url,
    `Block ${execution.fill.block_number}: it`,
    'Next: ',
  ])
    expect(seen).toContain(fact)

  const nonces = await noncesOf(ada)
  for (const other of protocols) {
    const answer = await say(world.clients[other], ada, sentence.toUpperCase())
    expect(answer).toContain('This quote was confirmed before, and is traded once.')
    expect(answer).toContain(execution.tx_hash)
  }
  expect(await noncesOf(ada)).toEqual(nonces)
  expect(await executionsOf(ada)).toHaveLength(1)
})

test('the sentence said at once over every protocol makes one trade', async () => {
  const ada = await fundedAccount(world.clients.rest)
  const sentence = sentenceOf(await say(world.clients.rest, ada, 'quote 200 USDC to WETH'))
  const input = { messages: [{ role: 'user', content: sentence }] }
  const asked = protocols.map((protocol) => world.clients[protocol].call('chat.send', input, ada.token))
  const outcomes = await Promise.all(asked)
  const [execution, ...more] = await executionsOf(ada)
  expect(more).toEqual([])
  // A request during another answer may be refused; it returns the same trade afterwards.
  const answers = outcomes.filter((outcome) => outcome.ok || outcome.code !== 'ALREADY_EXISTS')
  expect(answers.length).toBeGreaterThan(0)
  for (const answer of answers) expect(JSON.stringify(answer)).toContain(`Execution ${execution.execution_id}`)
  expect(await say(world.clients.grpc, ada, sentence)).toContain(`Execution ${execution.execution_id}`)
})

test('a caller that disconnects does not stop it, and reads the result later', async () => {
  const ada = await fundedAccount(world.clients.rest)
  const sentence = sentenceOf(await say(world.clients.rest, ada, 'quote 0.1 WETH to USDC'))
  const leaving = new AbortController()
  const response = await fetch(`${world.urls.http}/api/v1/chatbot/chat/stream`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', content: sentence }] }),
    signal: leaving.signal,
  })
  const stream_id = response.headers.get('x-stream-id')
  leaving.abort()
  const pieces = await eventsOf(world.clients.grpc.stream('chat.resume', { stream_id }, ada.token))
  expect(pieces.map(({ content }) => content).join('')).toMatch(/^Trading quote .*\nStatus success\. Swapped 0.1 WETH/)
})

test('a confirmation other than the exact sentence trades nothing, and shows the sentence', async () => {
  const ada = await fundedAccount(world.clients.rest)
  const shown = await say(world.clients.rest, ada, 'quote 0.1 WETH to USDC and confirm')
  const sentence = sentenceOf(shown)
  const nonces = await noncesOf(ada)
  for (const wish of [
    'do it',
    'Yes!',
    'go ahead',
    'ok, trade it',
    'Confirm.',
    `please ${sentence}`,
    `yes, ${sentence}`,
    `${sentence} now`,
  ]) {
    const seen = await say(world.clients.trpc, ada, wish)
    expect(seen).toMatch(
      /^Nothing is traded before you confirm a quote by its id\.\n(The quote .* ran out.*\n)?You sell .*\nQuote /,
    )
    expect(seen).toMatch(/confirm [0-9a-f-]{36}(\nDo you want to trade it\?)?$/)
  }
  expect(await executionsOf(ada)).toEqual([])
  expect(await noncesOf(ada)).toEqual(nonces)
})

test('a quote is confirmed in the session that was shown it, and while the history holds it', async () => {
  const { rest } = world.clients
  const ada = await fundedAccount(rest)
  const sentence = sentenceOf(await say(rest, ada, 'quote 0.1 WETH to USDC'))
  const other = await output(rest.call('auth.createSession', {}, ada.userToken))
  const bob = await fundedAccount(rest)
  const unseen = await output(rest.call('trading.quote', { input: ada.swap('WETH', 'USDC', '0.1') }, ada.token))
  const nothing = /^Nothing was traded\. No quote [0-9a-f-]{36} was shown to you in this conversation/
  expect(await say(rest, { ...ada, token: other.token.access_token }, sentence)).toMatch(nothing)
  expect(await say(rest, bob, sentence)).toMatch(nothing)
  expect(await say(rest, ada, `confirm ${unseen.quote_id}`)).toMatch(nothing)
  expect(await say(rest, ada, sentence, 'what is the price of WETH?')).not.toMatch(/traded|Trading/)
  await output(rest.call('chat.clear', {}, ada.token))
  expect(await say(rest, ada, sentence)).toMatch(nothing)
  expect(await executionsOf(ada)).toEqual([])
  expect(await executionsOf(bob)).toEqual([])
})
