import { createTRPCUntypedClient, httpBatchLink, httpLink } from '@trpc/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serveTrpc } from '../../../test/protocols/trpc-world.ts'
import { authorized, exampleWorld } from '../../../test/protocols/world.ts'
import { chain } from '../../contract/chain/chain.ts'
import type { HttpServer } from '../http.ts'

let server: HttpServer
beforeAll(async () => {
  server = await serveTrpc(exampleWorld())
})
afterAll(async () => await server.close())

const { example } = chain.call
const long = { ...example.input, transaction: { ...example.input.transaction, data: `0x${'00'.repeat(100_000)}` } }

test('a read of the chain is a query, alone or among others, and by POST where its input is long', async () => {
  const url = `${server.url}/trpc`
  const reads = createTRPCUntypedClient({ links: [httpLink({ url })] })
  expect(await reads.query('chain.call', example.input)).toBe(example.output)
  const together = createTRPCUntypedClient({ links: [httpBatchLink({ url })] })
  const asked = [together.query('chain.call', example.input), together.query('chain.chainId')]
  expect(await Promise.all(asked)).toEqual([example.output, chain.chainId.example.output])
  const byPost = createTRPCUntypedClient({ links: [httpLink({ url, methodOverride: 'POST' })] })
  expect(await byPost.query('chain.call', long)).toBe(example.output)
})

test.each(['sendRawTransaction', 'newFilter', 'getFilterChanges', 'uninstallFilter', 'adminStopSequencer'])(
  'chain.%s changes something and is no query',
  async (name) => {
    const refused = await fetch(`${server.url}/trpc/chain.${name}`, { headers: authorized })
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'POST'])
    expect(await refused.json()).toMatchObject({ error: { message: expect.stringContaining('a mutation by POST') } })
  },
)

test.each([
  ['cross-site', 'https://other.example', 403],
  ['same-site', undefined, 403],
  ['cross-site', 'https://app.example', 200],
  ['same-origin', undefined, 200],
  ['none', undefined, 200],
  [undefined, 'https://other.example', 200],
] as const)('a page at %s, %s may have a read that costs by GET: %i', async (site, origin, status) => {
  const input = encodeURIComponent(JSON.stringify(example.input))
  const headers = { ...(site && { 'sec-fetch-site': site }), ...(origin && { origin }) }
  const get = async (path: string) => (await fetch(`${server.url}/trpc/${path}`, { headers })).status
  expect(await get(`chain.call?input=${input}`)).toBe(status)
  expect(await get(`chain.call?batch=1&input=${encodeURIComponent(JSON.stringify({ 0: example.input }))}`)).toBe(status)
  expect(await get('chain.chainId')).toBe(200)
})
