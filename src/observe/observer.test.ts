import { expect, test } from 'vitest'
import { DomainError } from '../domain/core/errors.ts'
import { createLog } from './log.ts'
import { createMetrics } from './metrics.ts'
import { createObserver } from './observer.ts'
import { noTracing } from './tracing.ts'

const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlLW9mLWEtdG9rZW4'
const secrets = ['postgres://ada:pass"word@db/trident', 'pass"word']

function observerOf(level = 'trace') {
  const lines: string[] = []
  const log = createLog({ level, secrets, destination: { write: (line) => void lines.push(line) } })
  return { observer: createObserver({ log, metrics: createMetrics(), tracing: noTracing }), lines }
}

test('no secret of a failure is logged: neither of its message, nor its fields, nor its causes', () => {
  const { observer, lines } = observerOf()
  const cause = Object.assign(new Error(`GET https://user:hunter2@node.example failed\nbody: {"password":"hunter3"}`), {
    code: 'ECONNREFUSED',
    request: { authorization: 'hunter4' },
  })
  const error = Object.assign(new Error(`Bearer hunter5 and ${jwt} at ${secrets[0]}`, { cause }), {
    password: 'hunter6',
  })
  observer.unexpected({ operation: 'trading.quote', requestId: 'r-1', error })
  observer.background({ task: 'sender', error: 'x'.repeat(10_000), triesAgain: true })
  observer.chain({ event: 'block-production-failed', severity: 'warn', chain: 'rollup', error, password: 'hunter7' })
  const text = lines.join('')
  expect(text).not.toMatch(/hunter\d|pass\\?"word|eyJ/)
  expect(text).toContain('ECONNREFUSED')
  expect(text).toContain('observer.test.ts')
  expect(text.length).toBeLessThan(12_000)
  expect(lines.map((line) => JSON.parse(line).level)).toEqual([50, 50, 40])
})

test('background work that waits for the chain is a warning; an error where it is not retried or is a bug', async () => {
  const { observer, lines } = observerOf()
  for (const code of ['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'INTERNAL'] as const)
    observer.background({
      task: 'sender',
      error: new DomainError(code, 'The chain does not respond.'),
      triesAgain: true,
    })
  observer.background({ task: 'sender', error: new TypeError('x is not a function'), triesAgain: true })
  expect(lines.map((line) => JSON.parse(line).level)).toEqual([40, 40, 50, 50])
  observer.background({
    task: 'assistant',
    error: new DomainError('UNAVAILABLE', 'It does not respond.'),
    triesAgain: false,
  })
  expect(JSON.parse(lines.at(-1) ?? '').level).toBe(50)
  expect(await observer.metrics()).toContain('trident_background_failures_total{task="sender"} 4')
})

test('every event is logged or counted, and none throws', async () => {
  const { observer, lines } = observerOf()
  const request = observer.begun({ operation: 'chat.stream', protocol: 'grpc', requestId: 'r-2', traceParent: null })
  request.opened()
  expect(await observer.metrics()).toContain('trident_streams_open{operation="chat.stream",protocol="grpc"} 1')
  request.run(() => observer.engineAnswered({ method: 'eth_call', ok: false, seconds: 0.01 }))
  request.finished('DEADLINE_EXCEEDED', 7)
  observer.nodeCalled({ chainId: 1, upstream: '1/example.com/2', method: 'eth_call', ok: true, seconds: 0.2 })
  observer.providerAnswered({ provider: 'tvl', code: 'UNAVAILABLE', cached: false, seconds: 4 })
  observer.providerAnswered({ provider: 'tvl', code: 'OK', cached: true, seconds: 0 })
  observer.providerRests({ provider: 'exchange', reason: 'requested', seconds: 3_600 })
  observer.exchangeLost({ reason: 'status 418' })
  observer.transactionTroubled({ reference: 'e-1', trouble: 'given up', why: 'The key of the wallet is lost.' })
  observer.assistantReplied({ model: 'm', code: 'OK', seconds: 1 })
  observer.tokensUsed({ model: 'm', inputTokens: 120, outputTokens: 30 })
  const series = await observer.metrics()
  for (const line of [
    'trident_streams_open{operation="chat.stream",protocol="grpc"} 0',
    'trident_requests_total{operation="chat.stream",protocol="grpc",code="DEADLINE_EXCEEDED"} 1',
    'trident_provider_calls_total{provider="tvl",code="UNAVAILABLE"} 1',
    'trident_provider_calls_total{provider="tvl",code="cached"} 1',
    'trident_provider_rests_total{provider="exchange",reason="requested"} 1',
    'trident_upstream_calls_total{chain="1",upstream="1/example.com/2",method="eth_call",ok="true"} 1',
    'trident_upstream_seconds_count{chain="1",upstream="1/example.com/2"} 1',
    'trident_exchange_stream_losses_total 1',
    'trident_transaction_troubles_total{trouble="given up"} 1',
    'trident_assistant_tokens_total{model="m",direction="input"} 120',
    'trident_assistant_tokens_total{model="m",direction="output"} 30',
  ])
    expect(series).toContain(line)
  const logged = lines.map((line) => JSON.parse(line))
  expect(logged.map(({ msg }) => msg)).toEqual([
    'step',
    'request',
    'step',
    'provider paused',
    'exchange stream lost',
    'transaction',
    'step',
  ])
  expect(logged.slice(0, 2).map(({ requestId }) => requestId)).toEqual(['r-2', 'r-2'])
})

test('a chain that the gateway itself halts is an error in the log, in its own words', async () => {
  const { observer, lines } = observerOf('error')
  observer.chainHalted({ chain: '1', reason: 'Trading on chain 1 is halted.' })
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 50, chain: '1', msg: 'Trading on chain 1 is halted.' },
  ])
  expect(await observer.metrics()).toContain('trident_chain_events_total{chain="1",event="halted"} 1')
})

test('events below the level are not logged', () => {
  const { observer, lines } = observerOf('warn')
  observer.started({ seconds: 1, listening: {}, runsOn: [] })
  observer.begun({ operation: 'x', protocol: 'rest', requestId: 'r', traceParent: null }).finished('OK', null)
  expect(lines).toEqual([])
})
