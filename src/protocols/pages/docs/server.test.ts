import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { referencePage } from './reference-page.ts'
import { documentRoutes } from './server.ts'

const openapi = new URL('../../../../openapi/openapi.json', import.meta.url)

async function served(openrpc: Promise<unknown> = Promise.resolve({ openrpc: '1.3.2' })) {
  const app = Fastify()
  await app.register(await documentRoutes({ openapi, server: '/', openrpc }))
  return app
}

test('a document names its server, and is sent again only where it has changed', async () => {
  const app = await served()
  const first = await app.inject('/openapi.json')
  expect(first.json()).toMatchObject({ servers: [{ url: '/' }], info: { version: expect.any(String) } })
  const statusOf = async (path: string, tag: string) =>
    (await app.inject({ url: path, headers: { 'if-none-match': tag } })).statusCode
  const etag = String(first.headers.etag)
  expect(await statusOf('/openapi.json', `"other", W/${etag}`)).toBe(304)
  expect(await statusOf('/openapi.json', '"other"')).toBe(200)
  expect(await statusOf('/openrpc.json', etag)).toBe(200)
})

test('samples are sent to the gateway that shows them', async () => {
  const samples = { http: 'https://trident.example', grpc: 'trident.example:443', encrypted: true }
  const app = Fastify()
  await app.register(await documentRoutes({ openapi, server: '/', samples, openrpc: Promise.resolve({}) }))
  const { body } = await app.inject('/openapi.json')
  expect(body).toContain("curl -X POST 'https://trident.example/api/v1/auth/register'")
  expect(body).toContain('grpc.NewClient(\\"trident.example:443\\"')
  expect(body).not.toContain('127.0.0.1:8000')
  expect(body).toContain('credentials.NewTLS(nil)')
  expect(body).not.toContain('insecure')
})

test('the document of the node waits for its address, and is written once', async () => {
  const known = Promise.withResolvers<unknown>()
  const app = await served(known.promise)
  const early = app.inject('/openrpc.json')
  let written = 0
  known.resolve({ toJSON: () => ({ written: ++written }) })
  const responses = [await early, await app.inject('/openrpc.json'), await app.inject('/openrpc.json')]
  expect(responses.map((response) => response.json())).toEqual(Array.from({ length: 3 }, () => ({ written: 1 })))
})

test('the reference is a list of all operations before its script runs, and loads from this gateway only', async () => {
  const app = await served()
  const { headers, body } = await app.inject('/docs/api')
  expect(headers['content-security-policy']).toMatch(/default-src 'none'; script-src 'sha256-\S+ 'self'; style-src/)
  expect(headers['content-security-policy']).toContain("connect-src 'self'; img-src 'self' data:; font-src 'self'")
  expect([...body.matchAll(/(?:src|<link)[^>]*/g)].map(([source]) => source.split('"')[1])).toEqual([
    '/documents/scalar.js',
    '/documents/reference.js',
    '/documents/documents.js',
  ])
  expect(body).toMatch(/<title>API \d+\.\d+\.\d+ - Trident<\/title>/)
  const { paths } = (await app.inject('/openapi.json')).json() as { paths: Record<string, Record<string, Operation>> }
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  expect(operations.length).toBeGreaterThan(60)
  for (const { operationId, tags } of operations) {
    expect(body).toContain(`<li id="${operationId}" data-group="${tags[0]}"><a href="#${operationId}">`)
  }
})

type Operation = { operationId: string; tags: string[] }

const rpcDocument = {
  openrpc: '1.3.2',
  info: { title: 'Node' },
  servers: [{ url: 'http://127.0.0.1:8545' }],
  methods: [
    {
      name: 'eth_getBalance',
      summary: 'Balance',
      params: [{ name: 'address', required: true, schema: { type: 'string' } }, { name: 'block' }],
      result: { schema: { $ref: '#/components/schemas/Quantity' } },
      errors: [{ code: -32602, message: 'Invalid params' }],
      examples: [{ params: [{ value: "it's" }], result: { value: '0x1' } }],
    },
  ],
  components: { schemas: { Quantity: { type: 'string' } } },
}

test('the methods of the node are a reference too, each as a message to /rpc', async () => {
  const app = await served(Promise.resolve(rpcDocument))
  const document = (await app.inject('/docs/rpc.json')).json()
  const { post } = document.paths['/rpc#eth_getBalance']
  const message = { jsonrpc: '2.0', id: 1, method: 'eth_getBalance', params: ["it's"] }
  expect(post.requestBody.content['application/json'].example).toEqual(message)
  expect(post.description).toContain('- `block` (optional)')
  expect(post.description).toContain('`-32602` Invalid params')
  expect(post['x-codeSamples'][0].source).toContain(`it'\\''s`)
  expect(document.components.schemas.Quantity).toEqual({ type: 'string' })
  const { body } = await app.inject('/docs/rpc')
  expect(body).toContain('<li id="eth_getBalance" data-group="eth">')
  expect(body).toContain('data-document="/docs/rpc.json"')
  expect(body).not.toContain('id="token"')
  expect((await app.inject('/docs/api')).body).toContain('id="token"')
})

test('the tools of agents are shown with what they take', async () => {
  const app = Fastify()
  const mcp = new URL('../../../../openapi/mcp.json', import.meta.url)
  await app.register(await documentRoutes({ openapi, server: '/', openrpc: Promise.resolve({}), mcp }))
  const { body } = await app.inject('/docs/mcp')
  expect(body).toContain('<h2 id="find_token"><code>find_token</code> Find tokens</h2>')
  expect(body).toContain(
    '<code>chain_id</code></td><td data-label="type">integer</td><td data-label="meaning">Only of this chain</td>',
  )
})

test('the first page leads to the console, the reference and the guides', async () => {
  const { body } = await (await served()).inject('/docs')
  for (const path of ['/', '/docs/api', '/docs/guides', '/docs/guides/start', '/docs/guides/deployment'])
    expect(body).toContain(`href="${path}"`)
})

test('every text of a document is escaped', () => {
  const hostile = '"><b>\'&'
  const operation = { operationId: hostile, summary: hostile, tags: [hostile] }
  const page = referencePage('/docs/api', hostile, hostile, {
    info: { description: hostile },
    paths: { [hostile]: { [hostile]: operation } },
  })
  expect(page.match(/<\/?b>|[^&#\w]'&|"><b/gi)).toBeNull()
})
