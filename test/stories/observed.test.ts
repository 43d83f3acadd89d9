import { Wallet } from '@ethereumjs/wallet'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { eventsOf, output } from '../clients/client.ts'
import { type Account, fundedAccount, openWorld, password, protocols, type World } from '../world.ts'
import { type Collector, openCollector } from './collector.ts'

const operatorToken = 'operator-token-of-this-test'
const metricsToken = 'metrics-token-of-this-test'
const apiKey = 'api-key-of-this-test'
const captcha = 'captcha-secret-of-this-test'

let world: World
let collector: Collector
let ada: Account
let log = ''
const destination = {
  write(line: string) {
    log += line
  },
}
beforeAll(async () => {
  collector = await openCollector()
  const settings = {
    LOG_LEVEL: 'trace',
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
    OTEL_SERVICE_NAME: 'trident-test',
    OPERATOR_TOKEN: operatorToken,
    METRICS_TOKEN: metricsToken,
    RPC_API_KEYS: `${apiKey}:pro`,
    CAPTCHA_VERIFY_URL: 'http://127.0.0.1:9/siteverify',
    CAPTCHA_SECRET: captcha,
  }
  world = await openWorld(settings, destination)
  ada = await fundedAccount(world.clients.rest)
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await collector[Symbol.asyncDispose]()
})

const metrics = async () => {
  const headers = { authorization: `Bearer ${metricsToken}` }
  return await (await fetch(`${world.urls.http}/metrics`, { headers })).text()
}

test('metrics cover operations, protocols, the chain, providers, trades and the process', async () => {
  await output(world.clients.grpc.call('trading.execute', ada.trade('WETH', 'USDC', '0.1', 'seen'), ada.token))
  await output(world.clients.trpc.call('tools.invokeTvl', { tool_name: 'protocols_list', arguments: {} }, ada.token))
  await world.clients.rest.call('chat.history', {}, 'no token')
  await output(world.clients.rest.call('chat.send', { messages: [{ role: 'user', content: 'hello' }] }, ada.token))
  const received = await metrics()
  for (const line of [
    /^trident_requests_total\{operation="trading.execute",protocol="grpc",code="OK"\} 1$/m,
    /^trident_requests_total\{operation="chat.history",protocol="rest",code="UNAUTHENTICATED"\} 1$/m,
    /^trident_request_seconds_bucket\{le="\+Inf",operation="trading.execute",protocol="grpc"\} 1$/m,
    /^trident_trade_moves_total\{state="requested"\} 1$/m,
    /^trident_trade_moves_total\{state="reserved"\} 1$/m,
    /^trident_trade_moves_total\{state="included"\} 1$/m,
    /^trident_provider_calls_total\{provider="tvl",code="OK"\} \d+$/m,
    /^trident_engine_seconds_count\{method="eth_call",ok="true"\} \d+$/m,
    /^trident_storage_transaction_seconds_count\{ok="true"\} \d+$/m,
    /^trident_storage_statements_total \d+$/m,
    /^trident_storage_commit_seconds_count \d+$/m,
    /^trident_chain_head_age_seconds\{chain="84532"\} [\d.e-]+$/m,
    /^trident_assistant_replies_total\{model="embedded-rules",code="OK"\} 1$/m,
    /^nodejs_eventloop_lag_p99_seconds /m,
    /^process_resident_memory_bytes /m,
    /^process_open_fds /m,
    /^nodejs_gc_duration_seconds_count/m,
  ])
    expect(received).toMatch(line)
})

test('metrics need the operator token or the metrics token, from this machine too', async () => {
  const scraped = async (headers: Record<string, string>) =>
    (await fetch(`${world.urls.http}/metrics`, { headers })).status
  expect(await scraped({})).toBe(401)
  expect(await scraped({ authorization: 'Bearer another-token-of-a-stranger' })).toBe(401)
  expect(await scraped({ authorization: `Bearer ${operatorToken}` })).toBe(200)
  expect(await scraped({ authorization: `Bearer ${metricsToken}` })).toBe(200)
})

test('the metrics token opens no operator call on any protocol', async () => {
  for (const protocol of protocols) {
    const refused = await world.clients[protocol].call('operator.listHalts', {}, metricsToken)
    expect(refused, protocol).toMatchObject({ ok: false, code: 'UNAUTHENTICATED' })
  }
})

test.each(protocols)('open streams are counted while they are open over %s', async (protocol) => {
  const operation = 'trading.watchExecution'
  const trade = ada.trade('WETH', 'USDC', '0.01', `watched-${protocol}`)
  const { execution_id } = await output(world.clients.rest.call('trading.execute', trade, ada.token))
  const open = async () =>
    Number(
      new RegExp(`^trident_streams_open\\{operation="${operation}",protocol="${protocol}"\\} (\\d+)$`, 'm').exec(
        await metrics(),
      )?.[1],
    )
  const leaving = new AbortController()
  const input = { execution_id, until: 'finalized' }
  const events = world.clients[protocol].stream(operation, input, ada.token, leaving.signal)
  await events.next()
  expect(await open()).toBe(1)
  leaving.abort()
  await events.return()
  await vi.waitFor(async () => expect(await open()).toBe(0), { timeout: 120_000 })
})

test.each(protocols)('a trace of the caller goes on in the spans of its request over %s', async (protocol) => {
  const traceId = `${protocols.indexOf(protocol) + 1}`.repeat(32)
  const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` }
  const requestId = `traced-${protocol}`
  const quote = { input: ada.swap('WETH', 'USDC', '0.2') }
  await output(world.clients[protocol].call('trading.quote', quote, ada.token, { headers, requestId }))
  const spans = () => collector.spans.filter((span) => span.traceId === traceId)
  const named = (name: string) => spans().find((span) => span.name === name)
  await vi.waitFor(() => expect(named('trading.quote')).toBeDefined(), { timeout: 120_000, interval: 100 })
  const request = named('trading.quote')
  expect(request).toMatchObject({
    parentSpanId: '00f067aa0ba902b7',
    service: 'trident-test',
    attributes: {
      'trident.operation': 'trading.quote',
      'trident.protocol': protocol,
      'trident.request_id': requestId,
      'trident.code': 'OK',
    },
  })
  await output(world.clients[protocol].call('auth.createSession', {}, ada.userToken, { headers, requestId }))
  await vi.waitFor(() => expect(named('auth.createSession')).toBeDefined(), { timeout: 120_000, interval: 100 })
  const childrenOf = (name: string) => {
    const parent = named(name)?.spanId
    return spans().flatMap((span) => (span.parentSpanId === parent ? [span.name] : []))
  }
  expect(childrenOf('trading.quote')).toContain('chain eth_call')
  expect(childrenOf('auth.createSession')).toContain('storage transaction')
})

test('a call to a provider is part of the trace, and so is a method of the node', async () => {
  const traceId = 'a'.repeat(32)
  const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` }
  await output(world.clients.rest.call('tools.latestBitcoinBlock', {}, ada.token, { headers }))
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getBalance', params: [ada.wallet, 'latest'] })
  const json = { ...headers, 'content-type': 'application/json' }
  await (await fetch(world.urls.rpc, { method: 'POST', headers: json, body })).json()
  const named = (name: string) => collector.spans.find((span) => span.traceId === traceId && span.name === name)
  await vi.waitFor(() => expect(named('chain.getBalance')).toBeDefined(), { timeout: 120_000, interval: 100 })
  expect(named('provider bitcoin')?.parentSpanId).toBe(named('tools.latestBitcoinBlock')?.spanId)
})

test('what came with a request stands in no line of the log, at any level', async () => {
  const words = ['wallet-file-password', 'export-password', 'wrong-password-of-ada', 'secret-in-a-query']
  const [file = '', exported = '', wrong = '', query = ''] = words
  const nobodysKey = 'x-api-key-of-nobody'
  const wallet = Wallet.generate()
  const keystore = await wallet.toV3(file, { kdf: 'scrypt', n: 2 })
  for (const protocol of protocols) {
    const client = world.clients[protocol]
    await client.call('auth.login', { username: ada.email, password: wrong })
    await client.call('chain.claimFaucet', { address: ada.wallet, captcha: 'captcha-answer-of-ada' })
    await client.call('auth.listSessions', {}, ada.userToken, { headers: { 'x-api-key': nobodysKey } })
    await client.call('auth.listSessions', {}, operatorToken, { headers: { 'x-api-key': apiKey } })
    const question = { messages: [{ role: 'user', content: `my password is ${password}` }] }
    await eventsOf(client.stream('chat.stream', question, ada.token))
  }
  const { rest, grpc, trpc } = world.clients
  await output(trpc.call('auth.login', { username: ada.email, password }))
  await output(grpc.call('trading.importWallet', { wallet_ref: 'brought', keystore, password: file }, ada.token))
  const keys = { wallet_ref: 'brought', account_password: password, keystore_password: exported }
  await output(rest.call('trading.exportWallet', keys, ada.token))
  const { http, rpc } = world.urls
  await fetch(`${http}/api/v1/positions?token_symbol=${query}`, { headers: { authorization: `Bearer ${ada.token}` } })
  await fetch(`${http}/api/v1/wallets/${query}?password=${query}`, { headers: { cookie: query } })
  const raw = { jsonrpc: '2.0', id: 1, method: 'eth_sendRawTransaction', params: [`0x${query}`] }
  await fetch(rpc, { method: 'POST', body: JSON.stringify(raw), headers: { 'content-type': 'application/json' } })
  expect(log).toContain('"operation":"trading.importWallet","protocol":"grpc"')
  expect(log).toContain('"msg":"step"')
  const key = Buffer.from(wallet.getPrivateKey()).toString('hex')
  const others = ['captcha-answer-of-ada', nobodysKey, JSON.stringify(keystore), ada.email]
  const secrets = [
    ...words,
    ...others,
    key,
    password,
    operatorToken,
    metricsToken,
    apiKey,
    captcha,
    ada.token,
    ada.userToken,
  ]
  for (const secret of secrets) expect(log).not.toContain(secret)
})

test('a request is one line, with its id and the number of its account', async () => {
  const options = { requestId: 'one-line' }
  await output(world.clients.trpc.call('auth.listSessions', {}, ada.userToken, options))
  const lines = log.split('\n').filter((line) => line.includes('"requestId":"one-line"') && line.includes('"request"'))
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({
      requestId: 'one-line',
      operation: 'auth.listSessions',
      protocol: 'trpc',
      code: 'OK',
      account: expect.any(Number),
      ms: expect.any(Number),
      level: 20,
    }),
  ])
})
