import { afterEach, expect, test } from 'vitest'
import { callers, exampleWorld, serveWorld } from '../../../test/protocols/world.ts'
import type { HttpServer } from '../http.ts'
import { explorerRoutes } from './server.ts'
import type { ExplorerTransaction } from './source.ts'

const servers: HttpServer[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

const hash = `0x${'ab'.repeat(32)}`
const transaction: ExplorerTransaction = {
  hash,
  status: 'success',
  blockNumber: 7n,
  timestamp: new Date(0),
  from: `0x${'1'.repeat(40)}`,
  to: null,
  contractAddress: `0x${'2'.repeat(40)}`,
  valueWei: 1_500_000_000_000_000_001n,
  nonce: 3,
  gasUsed: 21_000n,
  feeWei: 21_000n,
  input: '0x',
  logs: [
    {
      index: 0,
      address: `0x${'3'.repeat(40)}`,
      topics: [],
      data: '0x',
      event: { name: 'Transfer', args: [{ name: 'to', value: '<script>alert(1)</script>' }] },
    },
    { index: 1, address: `0x${'4'.repeat(40)}`, topics: ['0x01'], data: '0x02', event: null },
  ],
}

async function serve(take: (address: string) => number = () => 0) {
  const source = {
    transaction: async (asked: string) => (asked === hash ? transaction : null),
    head: async () => ({ number: 9n, hash, timestamp: new Date(0) }),
  }
  const server = await serveWorld(exampleWorld(), { routes: [explorerRoutes({ source, callers, take })] })
  servers.push(server)
  return async (path: string) => {
    const answer = await fetch(server.url + path, { headers: { accept: 'text/html' } })
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }
}

test('a transaction is shown exactly, escaped, and under a policy without scripts', async () => {
  const { status, headers, text } = await (await serve())(`/explorer/tx/${hash}`)
  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(headers.get('content-security-policy')).toContain("default-src 'none'")
  for (const shown of [hash, 'success', '7 (3 deep)', '1.500000000000000001', 'Transfer', 'new contract'])
    expect(text).toContain(shown)
  expect(text).not.toContain('<script')
})

test('an unknown hash and a text that is none are pages with 404', async () => {
  const get = await serve()
  expect((await get(`/explorer/tx/0x${'00'.repeat(32)}`)).status).toBe(404)
  expect((await get('/explorer/tx/%3Cscript%3E')).status).toBe(404)
  expect((await get('/explorer')).text).toContain('Latest block')
})

test('an address that asks too often gets a page with its wait, and the chain is not asked', async () => {
  const addresses: string[] = []
  const get = await serve((address) => addresses.push(address) * 7)
  for (const path of ['/explorer', `/explorer/tx/${hash}`]) {
    const { status, headers, text } = await get(path)
    expect([status, text]).toEqual([429, expect.stringContaining('Too many requests')])
    expect(headers.get('retry-after')).toBe(`${addresses.length * 7}`)
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
  }
  expect(addresses).toEqual(['127.0.0.1', '127.0.0.1'])
})
