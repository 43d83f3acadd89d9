import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { type ModelProcess, startModel } from '../assistant/model.ts'
import { chunk, says, turn } from '../assistant/script.ts'
import { type Event, output, refusalOf } from '../clients/client.ts'
import { type Clients, openClients } from '../clients/clients.ts'
import { type Gateway, startGateway } from '../gateway-process.ts'
import { operatorToken } from '../operator-token.ts'
import { openTestSandbox } from '../sandbox-service.ts'
import { shared } from '../shared.ts'
import { fundedAccount, newAccount, protocols } from '../world.ts'

const opened = new AsyncDisposableStack()
let model: ModelProcess
let gateways: [Gateway, Gateway]
let one: Clients
let other: Clients

beforeAll(async () => {
  const sandbox = opened.use(await openTestSandbox())
  model = opened.use(await startModel())
  const secret = () => randomBytes(32).toString('hex')
  const settings = {
    SANDBOX_URL: sandbox.url,
    DATABASE_URL: await shared('database'),
    MASTER_KEY: secret(),
    TOKEN_SECRET: secret(),
    LLM_BASE_URL: model.url,
    LLM_MODEL: 'slow',
  }
  const start = async () => opened.use(await startGateway(null, settings))
  gateways = await Promise.all([start(), start()])
  one = opened.use(openClients(gateways[0].urls))
  other = opened.use(openClients(gateways[1].urls))
})
afterAll(async () => await opened.disposeAsync())

test('a deleted session ends its streams on every process and protocol', async () => {
  const ada = await fundedAccount(one.rest)
  const order = ada.trade('WETH', 'USDC', '0.1', 'ended')
  const { execution_id } = await output(one.rest.call('trading.execute', order, ada.token))
  const market = { symbol: 'ETHUSDC', streams: ['trade'] }
  const { subscription_id } = await output(one.rest.call('tools.subscribeExchange', market, ada.token))
  const streams = [
    ['trading.watchExecution', { execution_id, until: 'finalized' }],
    ['trading.watchAccount', {}],
    ['trading.watchQuote', { input: ada.swap('WETH', 'USDC', '0.1') }],
    ['tools.streamExchange', { subscription_id }],
  ] as const
  const readers = [one, other].flatMap((clients) =>
    protocols.flatMap((protocol) =>
      streams.map(([id, input]) => ({ id, protocol, events: clients[protocol].stream(id, input, ada.token) })),
    ),
  )
  const begun = await Promise.all(readers.map(async ({ events }) => (await events.next()).done))
  expect(begun).toEqual(readers.map(() => false))
  const ends = readers.map(async ({ id, protocol, events }) => {
    const { code } = await refusalOf(events)
    return { id, protocol, code, at: performance.now() }
  })
  await output(one.rest.call('auth.deleteSession', { session_id: ada.sessionId }, ada.userToken))
  const deletedAt = performance.now()
  for (const { at, ...end } of await Promise.all(ends)) {
    expect(end).toMatchObject({ code: 'UNAUTHENTICATED' })
    expect(at - deletedAt, end.id).toBeLessThan(3_000)
  }
})

test('a halt and its end hold on every process from the answer of the operator’s call on', async () => {
  const [ada, grace] = [await fundedAccount(one.rest), await fundedAccount(other.rest)]
  for (let round = 0; round < 4; round += 1) {
    const [here, there] = round % 2 === 0 ? [one, other] : [other, one]
    for (const isHalt of [true, false]) {
      const change = isHalt ? 'operator.haltTrading' : 'operator.resumeTrading'
      await output(here.rest.call(change, { scope: 'global' }, operatorToken))
      const key = `${change} ${round}`
      const trades = [
        there.grpc.call('trading.execute', ada.trade('WETH', 'USDC', '0.001', key), ada.token),
        here.trpc.call('trading.execute', grace.trade('WETH', 'USDC', '0.001', key), grace.token),
      ]
      for (const traded of await Promise.all(trades)) {
        if (isHalt) expect(traded).toMatchObject({ ok: false, message: expect.stringMatching(/halted trading/) })
        else expect(traded).toMatchObject({ ok: true, output: { status: 'success' } })
      }
    }
  }
})

const asked = { messages: [{ role: 'user', content: 'Tell me. #tale' }] }

/** Begins an answer that one process writes until the model goes on, with a reader at the other process. */
async function halfAnAnswer() {
  await model.teach({
    tale: [{ ...turn(says('Once upon')), end: { later: [...says(' a time'), chunk({}, 'stop')] } }],
  })
  const { token } = await newAccount(other.rest)
  const writing = one.rest.stream('chat.stream', asked, token)
  const { value: first } = await writing.next()
  writing.return().catch(() => undefined)
  const [stream_id] = String((first as Event).id).split(':')
  const reading = other.rest.stream('chat.resume', { stream_id: stream_id as string }, token)
  let told = ''
  while (told !== 'Once upon') told += ((await reading.next()).value as Event).content
  const messages = async () => (await output(other.rest.call('chat.history', {}, token))).messages
  return { token, reading, messages }
}

test('an answer of a process that stood still is failed by others, and stays so when it goes on', async () => {
  const { reading, messages } = await halfAnAnswer()
  gateways[0].signal('SIGSTOP')
  const { code } = await refusalOf(reading).finally(() => gateways[0].signal('SIGCONT'))
  expect(code).toBe('UNAVAILABLE')
  const before = await messages()
  await model.goOn()
  await sleep(1_000)
  expect(await messages()).toEqual(before)
  expect(before.at(-1)).toMatchObject({ role: 'assistant', content: 'Once upon', incomplete: 'failed' })
  await until(async () => (await one.rest.call('system.info', {})).ok, 'the process that stood still')
})

test('the death of a process that writes an answer is reported on another one', async () => {
  const { reading, token } = await halfAnAnswer()
  const diedAt = performance.now()
  await gateways[0].kill()
  expect(await refusalOf(reading)).toMatchObject({ code: 'UNAVAILABLE' })
  expect(performance.now() - diedAt).toBeLessThan(4_000)
  const again = other.rest.stream('chat.stream', asked, token)
  expect((await again.next()).done).toBe(false)
  await again.return()
})
