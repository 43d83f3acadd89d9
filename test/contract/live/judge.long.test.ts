import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Gateway, startGateway } from '../../gateway-process.ts'
import { operatorToken } from '../../operator-token.ts'
import { type GrpcChange, grpcProxy, type HttpAnswer, httpProxy } from './faulty-proxy.ts'
import { judge } from './judge.ts'
import { type Options, readOptions } from './options.ts'
import { junitOf, summaryOf, tableOf } from './report.ts'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(async () => await gateway[Symbol.asyncDispose]())

function optionsFor(changes: Partial<Options> = {}): Options {
  const { http, grpc, rpc } = gateway.urls
  return { ...readOptions(['--rest', http, '--grpc', grpc, '--rpc', rpc]), operatorToken, deletingMs: 0, ...changes }
}

const silent = () => undefined

const problem = (status: number, code: string) => ({
  status,
  body: JSON.stringify({ type: 'about:blank', title: code, status, code, detail: `${code}.`, request_id: 'lost' }),
})
const at = (part: string, change: (answer: HttpAnswer) => Partial<HttpAnswer>) => (path: string, answer: HttpAnswer) =>
  path.includes(part) ? { ...answer, ...change(answer) } : answer
const text = (from: RegExp, to: string) => (answer: HttpAnswer) => ({ body: answer.body.replace(from, to) })
const without = (name: string) => (answer: HttpAnswer) => ({
  headers: Object.fromEntries(Object.entries(answer.headers).filter(([key]) => key !== name)),
})

test('a gateway as it starts passes every case', async () => {
  const options = optionsFor({ all: true, deletingMs: 120_000 })
  const said: string[] = []
  const results = await judge(options, (line) => said.push(line))
  expect(said.filter((line) => line.includes('stays'))).toEqual([])
  const { failed, rulesNotJudged, cases, rules, passes } = summaryOf(results)
  console.log(`${cases} cases of ${rules} rules, seed ${options.seed}`)
  expect([failed, rulesNotJudged <= 10, passes], tableOf(results)).toEqual([0, true, true])
  expect(cases).toBeGreaterThan(5_000)
  expect(new Set(results.map(({ check }) => check.door))).toEqual(
    new Set(['rest', 'trpc', 'grpc', 'rpcByName', 'rpcByPlace']),
  )
  expect(junitOf(results, options).match(/<testcase /g)).toHaveLength(cases)
})

test('what moves money is not asked of a gateway that is no sandbox', async () => {
  const change = at('/api/v1/info', text(/"sandbox":true/, '"sandbox":false'))
  await using proxy = await httpProxy(gateway.urls.http, change)
  const asked = ['trading.execute', 'chain.claimFaucet', 'metrics.positions', 'trading.listExecutions']
  const results = await judge(optionsFor({ rest: proxy.url, only: asked }), silent)
  const unjudged = results.filter(({ verdict }) => verdict === 'not judged')
  expect(new Set(unjudged.map(({ check }) => check.id))).toEqual(new Set(asked.slice(0, 2)))
  expect(unjudged.length).toBeGreaterThan(50)
  expect(results.filter(({ verdict }) => verdict === 'failed')).toEqual([])
  // What is left out by the options is no rule that was not judged.
  expect(summaryOf(results)).toMatchObject({ failed: 0, rulesNotJudged: 0, passes: true })
})

type Fault = { what: string; only: string; door: string } & (
  | { rest: (path: string, answer: HttpAnswer) => HttpAnswer }
  | { rpc: (path: string, answer: HttpAnswer, asked: string) => HttpAnswer }
  | { grpc: GrpcChange }
)

/** What a gateway in another language gets wrong. */
const faults: readonly Fault[] = [
  {
    what: 'a reading that is refused though it is valid',
    only: 'metrics.realizedPnl',
    door: 'rest',
    rest: at('/metrics/pnl', (answer) => (answer.status === 200 ? problem(422, 'INVALID_ARGUMENT') : {})),
  },
  {
    what: 'events without the ids by which a reader resumes',
    only: 'trading.watchExecution',
    door: 'rest',
    rest: at('/watch', text(/^id: .*\n/gm, '')),
  },
  {
    what: 'a stream without an event',
    only: 'trading.watchExecution',
    door: 'rest',
    rest: at('/watch', (answer) => (answer.status === 200 ? { body: 'data: [DONE]\n\n' } : {})),
  },
  {
    what: 'a refusal that is no problem document',
    only: 'auth.renameSession',
    door: 'rest',
    rest: at('/name', ({ headers, status }) =>
      status < 400 ? {} : { headers: { ...headers, 'content-type': 'application/json' } },
    ),
  },
  {
    what: 'a renamed field',
    only: 'system.info',
    door: 'rest',
    rest: at('/api/v1/info', text(/"version"/, '"release"')),
  },
  {
    what: 'a field too much',
    only: 'auth.whoAmI',
    door: 'trpc',
    rest: at('/trpc/auth.whoAmI', text(/"email"/, '"mail":1,"email"')),
  },
  {
    what: 'a missing header',
    only: 'trading.listWallets',
    door: 'rest',
    rest: at('/wallets', without('x-request-id')),
  },
  {
    what: 'a secret that may be cached',
    only: 'auth.createSession',
    door: 'rest',
    rest: at('/auth/session', without('cache-control')),
  },
  { what: 'a 500', only: 'chat.history', door: 'rest', rest: at('/chatbot/messages', () => problem(500, 'INTERNAL')) },
  {
    what: 'an undeclared error',
    only: 'tools.listTvl',
    door: 'rest',
    rest: at('/tvl', () => problem(404, 'NOT_FOUND')),
  },
  {
    what: 'a stream without its end',
    only: 'chat.stream',
    door: 'rest',
    rest: at('/stream', text(/data: \[DONE\]/, ': done')),
  },
  {
    what: 'a refusal of another field',
    only: 'trading.quote',
    door: 'trpc',
    rest: at('/trpc/trading.quote', text(/"path":"[^"]*amount[^"]*"/g, '"path":"amount"')),
  },
  {
    what: 'a status that is not that of the code',
    only: 'auth.createSession',
    door: 'rest',
    rest: at('/auth/session', (answer) => ({ status: answer.status === 422 ? 400 : answer.status })),
  },
  {
    what: 'a stranger who is let in',
    only: 'metrics.realizedPnl',
    door: 'rest',
    rest: at('/pnl', (answer) => (answer.status === 401 ? { status: 200, body: '{}' } : {})),
  },
  {
    what: 'another value on one protocol',
    only: 'trading.listChains',
    door: 'trpc',
    rest: at('/trpc/trading.listChains', text(/"name":"[^"]*"/, '"name":"elsewhere"')),
  },
  {
    what: 'another code of JSON-RPC',
    only: 'JSON-RPC',
    door: 'rpcByPlace',
    rpc: (_path, answer) => ({ ...answer, body: answer.body.replaceAll('-32601', '-32600') }),
  },
  {
    what: 'a parameter that is not checked',
    only: 'chain.getBalance',
    door: 'rpcByName',
    rpc: (_path, answer, asked) =>
      asked.includes('eth_getBalance') ? { ...answer, body: '{"jsonrpc":"2.0","id":1,"result":"0x0"}' } : answer,
  },
  {
    what: 'a status of gRPC that is not that of the code',
    only: 'trading.getExecution',
    door: 'grpc',
    grpc: (path, part, fields) =>
      part === 'trailers' && path.endsWith('/GetExecution') && fields['grpc-status'] === '3'
        ? { ...fields, 'grpc-status': '13' }
        : fields,
  },
  {
    what: 'metadata without the id of the request',
    only: 'metrics.tvl',
    door: 'grpc',
    grpc: (path, part, fields) =>
      part === 'headers' && path.endsWith('/Tvl') ? { ...fields, 'x-request-id': 'lost' } : fields,
  },
  {
    what: 'a stream of gRPC that fails at its end',
    only: 'chat.stream',
    door: 'grpc',
    grpc: (path, part, fields) =>
      part === 'trailers' && path.endsWith('/Stream') && fields['grpc-status'] === '0'
        ? { ...fields, 'grpc-status': '2' }
        : fields,
  },
]

describe('finds', { concurrent: true }, () => {
  test.each(faults)('$what', async ({ only, door, ...fault }) => {
    const { http, grpc, rpc } = gateway.urls
    await using proxies = new AsyncDisposableStack()
    const changed: Partial<Options> =
      'rest' in fault
        ? { rest: proxies.use(await httpProxy(http, fault.rest)).url }
        : 'rpc' in fault
          ? { rpc: proxies.use(await httpProxy(rpc, fault.rpc)).url }
          : { grpc: proxies.use(await grpcProxy(grpc, fault.grpc)).url }
    const results = await judge(optionsFor({ ...changed, only: [only] }), silent)
    const failed = results.filter(({ verdict }) => verdict === 'failed')
    const others = failed.filter(
      ({ check }) => check.door !== door && !(door.startsWith('rpc') && check.door.startsWith('rpc')),
    )
    expect(failed.map(({ check }) => check.door)).toContain(door)
    // What agrees with the first protocol differs where that is at fault.
    expect(others.filter(({ check }) => check.rule !== 'agrees' && check.rule !== 'reads the same')).toEqual([])
  })
})
