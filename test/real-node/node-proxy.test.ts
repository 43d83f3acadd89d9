import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Anvil, startAnvil } from '../node/anvil.ts'
import { type Fault, openNodeProxy } from './node-proxy.ts'

let anvil: Anvil
beforeAll(async () => {
  anvil = await startAnvil()
  await anvil.mine(10)
})
afterAll(async () => await anvil[Symbol.asyncDispose]())

const callOf = (method: string, params: unknown[] = [], id = 7) => ({ jsonrpc: '2.0', id, method, params })

/** What a request gets through a proxy with these faults: its JSON, its status, or the failure of the request. */
async function through(faults: Fault[], body: object, waitMs = 5_000): Promise<unknown> {
  await using proxy = await openNodeProxy(anvil.url, { faults })
  const headers = { 'content-type': 'application/json' }
  const signal = AbortSignal.timeout(waitMs)
  try {
    const response = await fetch(proxy.url, { method: 'POST', headers, body: JSON.stringify(body), signal })
    return response.ok ? await response.json() : response.status
  } catch (failure) {
    return (failure as Error).name
  }
}

const number = callOf('eth_blockNumber')
const block = (tag: string) => callOf('eth_getBlockByNumber', [tag, false])
const logs = (fromBlock: string) => callOf('eth_getLogs', [{ fromBlock, toBlock: 'latest' }])

test.each<[string, Fault, object, string | number | object]>([
  ['a status', { does: 'status', status: 429 }, number, 429],
  ['a hanging call', { does: 'hang' }, number, 'TimeoutError'],
  ['a connection that ends', { does: 'cut' }, number, 'TypeError'],
  ['half a body', { does: 'half' }, number, 'TypeError'],
  ['another id', { does: 'wrong-id' }, number, { id: 1_000_007, result: '0xa' }],
  ['a delay', { does: 'delay', ms: 50 }, number, { id: 7, result: '0xa' }],
  ['an old number', { does: 'old-heads', blocks: 3 }, number, { result: '0x7' }],
  ['an old newest block', { does: 'old-heads', blocks: 3 }, block('latest'), { result: { number: '0x7' } }],
  ['no block after it', { does: 'old-heads', blocks: 3 }, block('0x8'), { result: null }],
  [
    'no code after it',
    { does: 'old-heads', blocks: 3 },
    callOf('eth_getCode', [`0x${'1'.repeat(40)}`, '0x8']),
    { error: { message: 'header not found' } },
  ],
  ['an unknown header', { does: 'no-header' }, block('latest'), { error: { message: 'header not found' } }],
  ['no header where none is named', { does: 'no-header' }, number, { result: '0xa' }],
  [
    'a wide range of logs',
    { does: 'narrow-logs', blocks: 5 },
    logs('0x1'),
    { error: { message: expect.stringContaining('5 block range') } },
  ],
  ['a narrow range of logs', { does: 'narrow-logs', blocks: 5 }, logs('0x8'), { result: [] }],
  ['a missing method', { does: 'lacks', methods: ['eth_blockNumber'] }, number, { error: { code: -32_601 } }],
  ['a method that is not meant', { does: 'lacks', methods: ['eth_call'] }, number, { result: '0xa' }],
  ['a batch', { does: 'no-batch' }, [number], { id: null, error: { code: -32_600 } }],
  ['no batch', { does: 'no-batch' }, number, { result: '0xa' }],
])('the proxy shows %s', async (_name, fault, body, expected) => {
  const shown = await through([fault], body, fault.does === 'hang' ? 200 : 5_000)
  if (typeof expected === 'object') expect(shown).toMatchObject(expected)
  else expect(shown).toBe(expected)
})

test('the proxy counts requests and calls, keeps the order of a batch, and ends a fault after its times', async () => {
  await using proxy = await openNodeProxy(anvil.url)
  const post = async (body: object) => {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(proxy.url, { method: 'POST', headers, body: JSON.stringify(body) })
    return response.ok ? await response.json() : response.status
  }
  const both = [callOf('eth_chainId', [], 2), callOf('eth_blockNumber', [], 1)]
  expect(await post(both)).toMatchObject([{ id: 2 }, { id: 1, result: '0xa' }])
  proxy.faults = [{ does: 'status', status: 503, times: 1 }]
  expect(await post(number)).toBe(503)
  expect(await post(number)).toMatchObject({ result: '0xa' })
  expect(proxy).toMatchObject({ requests: 3, calls: { eth_chainId: 1, eth_blockNumber: 3 } })
  proxy.forget()
  expect(proxy).toMatchObject({ requests: 0, calls: {} })
})

test('a share of the calls is drawn by the seed', async () => {
  const drawn = async (seed: number) => {
    await using proxy = await openNodeProxy(anvil.url, { faults: [{ does: 'lacks', share: 0.5 }], seed })
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify(Array.from({ length: 40 }, (_, id) => callOf('eth_chainId', [], id)))
    const replies = (await (await fetch(proxy.url, { method: 'POST', headers, body })).json()) as object[]
    return replies.map((reply) => 'error' in reply)
  }
  const first = await drawn(1)
  expect(first.filter(Boolean).length).toBeGreaterThan(8)
  expect(first.filter(Boolean).length).toBeLessThan(32)
  expect(await drawn(1)).toEqual(first)
  expect(await drawn(2)).not.toEqual(first)
})
