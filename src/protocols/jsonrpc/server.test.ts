import { expect, test } from 'vitest'
import { openRpcSocket } from '../../../test/clients/rpc-socket.ts'
import { asOperator } from '../../../test/operator-token.ts'
import { askedRpcWorlds, request } from '../../../test/protocols/rpc-world.ts'
import { exampleWorld, json, unwatchedRequest } from '../../../test/protocols/world.ts'
import { chain } from '../../contract/chain/chain.ts'
import { DomainError } from '../../domain/core/errors.ts'

const serve = askedRpcWorlds()

test('every method returns its example by name and by each alias', async () => {
  const { world, send } = await serve()
  for (const operation of world.operations.values()) {
    const { rpc, example, output, auth } = operation
    if (rpc === undefined || operation.kind === 'stream') continue
    const given: Record<string, unknown> = { ...example.input }
    const params = auth === 'none' ? rpc.params.map((name) => given[name] ?? null) : given
    for (const method of [rpc.method, ...(rpc.aliases ?? [])]) {
      const response = await send(request(method, params), { headers: { ...json, ...asOperator } })
      expect(JSON.parse(await response.text())).toEqual({
        jsonrpc: '2.0',
        id: 1,
        result: output.parse(example.output),
      })
    }
  }
})

test('ids are returned as sent, notifications have no response', async () => {
  const { answer, send } = await serve()
  for (const id of [0, 'text', null, 1.5]) expect(await answer(request('eth_chainId', [], id))).toMatchObject({ id })
  for (const id of ['9007199254740993', '-1e400', '0.10000000000000000001', '123456789012345678901234567890']) {
    const one = `{"jsonrpc":"2.0","method":"eth_chainId","id":${id}}`
    expect(await (await send(one)).text()).toContain(`"id":${id},`)
    expect(await (await send(`[7,${one}]`)).text()).toContain(`"id":${id},`)
    expect(await (await send(`{"id":${id}}`)).text()).toContain(`"id":${id},`)
  }
  const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`
  const long = `"${'x'.repeat(20_000)}"`
  const kept = 9_007_199_254_740_994
  for (const params of [deep, long]) {
    const withId = (id: string) => `{"jsonrpc":"2.0","method":"eth_chainId","id":${id},"params":[${params}]}`
    expect(await answer(withId(String(kept)))).toMatchObject({ id: kept, error: { code: -32602 } })
    expect(await answer(withId('1e400'))).toMatchObject({ id: null, error: { code: -32600 } })
  }
  const silent = await send({ jsonrpc: '2.0', method: 'eth_chainId' })
  expect([silent.status, await silent.text()]).toEqual([204, ''])
  for (const name of ['content-length', 'content-type']) expect(silent.headers.get(name)).toBeNull()
})

test.each([
  ['no JSON', '{', -32700, 'Parse error: '],
  ['a text', '"x"', -32600, 'Invalid request: '],
  ['no version', { method: 'eth_chainId', id: 1 }, -32600, 'Invalid request: '],
  ['params that are a text', request('eth_chainId', 'x'), -32600, 'Invalid request: '],
  ['an id that is a list', request('eth_chainId', [], []), -32600, 'Invalid request: '],
  ['a prototype name', request('__proto__'), -32601, 'Method not found: '],
  ['too many params', request('eth_chainId', [1]), -32602, 'Invalid params: '],
  ['a missing param', request('eth_getTransactionByHash', []), -32602, 'Invalid params: '],
  ['an unknown named param', request('eth_chainId', { other: 1 }), -32602, 'Invalid params: '],
  ['a subscription', request('eth_subscribe', ['newHeads']), -32004, 'Method not supported: '],
  ['the end of one', request('eth_unsubscribe', ['0x1']), -32004, 'Method not supported: '],
])('%s is refused, in the words of the code', async (_name, body, code, words) => {
  const { answer } = await serve()
  expect(await answer(body)).toMatchObject({
    jsonrpc: '2.0',
    error: { code, message: expect.stringMatching(`^${words}`) },
  })
})

test('a count of blocks is a hex quantity or a plain integer', async () => {
  const { output } = chain.feeHistory.example
  const asked: unknown[] = []
  const { answer } = await serve({
    'chain.feeHistory': async (_ports, input) => {
      asked.push(input)
      return output
    },
  })
  for (const blockCount of [10, '0xa']) {
    expect(await answer(request('eth_feeHistory', [blockCount, 'latest']))).toMatchObject({ result: output })
    expect(await answer(request('eth_feeHistory', { blockCount, newestBlock: 'latest' }))).toHaveProperty('result')
  }
  expect(asked).toEqual(Array(4).fill({ blockCount: '0xa', newestBlock: 'latest' }))
  for (const blockCount of [-1, 1.5, '10', null])
    expect(await answer(request('eth_feeHistory', [blockCount, 'latest']))).toMatchObject({ error: { code: -32602 } })
})

test.each([
  ['', /^Invalid request: The body is empty/],
  ['[]', /batch is empty/],
  ['7', /a request is an object/],
  [{ method: 'eth_chainId', id: 1 }, /jsonrpc must be "2.0"/],
  [{ jsonrpc: '1.0', method: 'eth_chainId', id: 1 }, /jsonrpc must be "2.0"/],
  [{ jsonrpc: '2.0', id: 1 }, /method is missing/],
  [request(7 as never), /method must be a string/],
  [request('eth_chainId', 'x'), /params must be a list or an object/],
  [request('eth_chainId', [], {}), /id must be a number, null, or a string/],
])('what is wrong with %j is named', async (body, message) => {
  const { answer } = await serve()
  const refused = { code: -32600, message: expect.stringMatching(message) }
  expect(await answer(body)).toMatchObject({ jsonrpc: '2.0', error: refused })
  if (typeof body === 'object') expect(await answer([body])).toMatchObject([{ error: refused }])
})

test('only a JSON POST of at most 1 MiB is accepted', async () => {
  const { send } = await serve()
  expect((await send(undefined, { method: 'GET', body: null })).status).toBe(405)
  expect((await send('x=1', { headers: { 'content-type': 'text/plain' } })).status).toBe(415)
  const compressed = await send('{}', { headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } })
  expect([compressed.status, await compressed.text()]).toEqual([415, expect.stringContaining('content encoding')])
  const large = await send(JSON.stringify(request('eth_chainId', ['x'.repeat(1_100_000)]))).catch(() => null)
  if (large !== null) expect(large.status).toBe(413)
})

test('errors have the codes of the table, their data, and the request id', async () => {
  const revert = new DomainError('EXECUTION_REVERTED', 'execution reverted: no', { metadata: { data: '0x08c379a0' } })
  const { answer, send } = await serve({
    'chain.call': async () => {
      throw revert
    },
    'chain.gasPrice': async () => {
      throw new DomainError('UNIMPLEMENTED', 'Not built yet.')
    },
    'chain.getLogs': async () => {
      const violations = [{ path: 'filter.fromBlock', message: 'too long', code: 'too_big' }]
      throw new DomainError('LIMIT_EXCEEDED', 'too long', { violations, metadata: { limit: '7' } })
    },
    'chain.blockNumber': async () => {
      throw new Error('secret of the house')
    },
  })
  expect(await answer(request('eth_call', [{ to: `0x${'1'.repeat(40)}` }, 'latest']))).toMatchObject({
    error: { code: 3, message: 'execution reverted: no', data: '0x08c379a0' },
  })
  expect(await answer(request('eth_gasPrice'))).toMatchObject({ error: { code: -32004 } })
  expect((await answer(request('eth_getLogs', [{}]))).error).toEqual({
    code: -32005,
    message: 'Limit exceeded: too long',
    data: {
      limit: 7,
      reset: null,
      code: 'LIMIT_EXCEEDED',
      request_id: expect.any(String),
      errors: [{ path: 'filter.fromBlock', message: 'too long', code: 'too_big' }],
      metadata: { limit: '7' },
    },
  })
  const broken = await send(request('eth_blockNumber'), { headers: { ...json, 'x-request-id': 'mine-2' } })
  expect(broken.headers.get('x-request-id')).toBe('mine-2')
  const text = await broken.text()
  expect(text).toContain('-32603')
  expect(text).not.toContain('secret')
})

test('rpc.discover returns the document of the methods', async () => {
  const openrpc = { info: { title: 'Node' }, servers: [{ url: 'elsewhere' }], methods: [] }
  const { answer, world } = await serve({}, false, { openrpc })
  expect(await answer(request('rpc.discover'))).toMatchObject({ result: { ...openrpc, servers: [{ url: world.url }] } })
  const without = await serve()
  expect(await without.answer(request('rpc.discover'))).toMatchObject({ error: { code: -32601 } })
  const limited = await serve({}, true, { openrpc })
  expect(await limited.answer(request('rpc.discover'))).toMatchObject({ error: { code: -32005 } })
})

test('a path is compared as it is sent', async () => {
  const { send, world } = await serve()
  const odd = await fetch(`${world.url}//`, { method: 'POST', headers: json, body: '{}' })
  expect(odd.status).toBe(404)
  expect((await send(request('eth_chainId'))).status).toBe(200)
})

test('an unknown method is limited like the others, and a long list of params is refused immediately', async () => {
  const limited = await serve({}, true)
  expect(await limited.answer(request('eth_nothing'))).toMatchObject({ error: { code: -32005 } })
  const { answer } = await serve()
  expect(await answer(request('eth_getBalance', Array(400_000).fill(0)))).toMatchObject({
    error: { code: -32602, message: expect.not.stringMatching(/\d{3,} more/) },
  })
})

test('the observer receives an unknown method as a failure, one of the protocol itself as a success', async () => {
  const received: string[] = []
  const { gateway } = exampleWorld({}, false, new Map(), undefined, ({ operation }) => ({
    ...unwatchedRequest(),
    finished: (code) => void received.push(`${operation} ${code}`),
  }))
  const { answer } = await serve({}, false, { gateway, openrpc: { info: { title: 'Node' }, methods: [] } })
  for (const method of ['eth_nope', 'rpc.discover']) await answer(request(method))
  expect(received).toEqual(['unknown UNIMPLEMENTED', 'rpc.discover OK'])
})

test('a limit is 429 with the seconds to wait', async () => {
  const { send } = await serve({}, true)
  const limited = await send(request('eth_chainId'))
  expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '7'])
  expect(await limited.json()).toMatchObject({
    error: {
      code: -32005,
      data: { limit: 100, reset: expect.any(Number), code: 'RATE_LIMITED', request_id: expect.any(String) },
    },
  })
})

test('an unknown key is 401 with advice, 429 over its rate, and opens no socket', async () => {
  const { world } = await serve()
  const headers = { ...json, 'x-api-key': 'key-of-nobody' }
  const send = (url: string) => fetch(url, { method: 'POST', headers, body: JSON.stringify(request('eth_chainId')) })
  const refused = await send(world.url)
  expect([refused.status, refused.headers.get('x-ratelimit-limit')]).toEqual([401, '100'])
  const error = { code: -32000, message: expect.stringMatching(/^Server error: .*x-api-key.*free tier/) }
  expect(await refused.json()).toMatchObject({ jsonrpc: '2.0', id: null, error })
  await expect(openRpcSocket(world.url, { headers })).rejects.toMatchObject({ status: 401, body: { error } })
  const limited = await serve({}, true)
  expect((await send(limited.world.url)).status).toBe(429)
})
