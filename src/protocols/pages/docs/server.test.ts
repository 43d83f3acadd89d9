import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { docsPage, documentRoutes } from './server.ts'

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

test('the document of the node waits for its address, and is written once', async () => {
  const known = Promise.withResolvers<unknown>()
  const app = await served(known.promise)
  const early = app.inject('/openrpc.json')
  let written = 0
  known.resolve({ toJSON: () => ({ written: ++written }) })
  const responses = [await early, await app.inject('/openrpc.json'), await app.inject('/openrpc.json')]
  expect(responses.map((response) => response.json())).toEqual(Array.from({ length: 3 }, () => ({ written: 1 })))
})

test('the page has no external resources and no scripts, and every link in it leads somewhere', async () => {
  const app = await served()
  const page = await app.inject('/docs')
  expect(page.headers['content-security-policy']).toContain("default-src 'none'")
  expect(page.body).not.toMatch(/<script|<link|<img|src=|http-equiv/)
  const targets = new Set([...page.body.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))
  const [, afterHeader = ''] = page.body.split('</header>')
  const links = [...afterHeader.matchAll(/href="([^"]+)"/g)].map(([, link]) => link!)
  expect(links.filter((link) => !link.startsWith('#'))).toEqual([
    '/docs/guides',
    '/openapi.json',
    '/openrpc.json',
    '/mcp.json',
  ])
  expect(links.filter((link) => link.startsWith('#') && !targets.has(link.slice(1)))).toEqual([])
  const { paths } = (await app.inject('/openapi.json')).json() as { paths: Record<string, Record<string, object>> }
  const ids = Object.values(paths).flatMap((methods) =>
    Object.values(methods).map((one) => 'operationId' in one && one.operationId),
  )
  expect(ids.filter((id) => !targets.has(String(id)))).toEqual([])
})

test('the title names Trident, and a form example is shown as it is sent', async () => {
  const { body } = await (await served()).inject('/docs')
  expect(body).toMatch(/<title>API \d+\.\d+\.\d+ - Trident<\/title>/)
  expect(body).toContain('<pre>username=ada%40example.com&#38;password=correct+horse+battery</pre>')
})

test('every text of a document is escaped', () => {
  const hostile = '"><b>\'&'
  const content = { [hostile]: { schema: { $ref: hostile }, example: hostile } }
  const parameter = { name: hostile, in: hostile, description: hostile, schema: { type: hostile, default: hostile } }
  const operation = {
    operationId: hostile,
    summary: hostile,
    description: hostile,
    tags: [hostile],
    security: [{ [hostile]: [] }],
    parameters: [parameter],
    requestBody: { content },
    responses: { 200: { description: hostile, content } },
  }
  const schema = { description: hostile, properties: { [hostile]: { enum: [hostile], description: hostile } } }
  const page = docsPage({
    info: { version: hostile, description: hostile },
    paths: { [hostile]: { [hostile]: operation } },
    components: { schemas: { [hostile]: schema }, securitySchemes: { [hostile]: { description: hostile } } },
  })
  expect(page.match(/<\/?b>|[^&#\w]'&|"><b/gi)).toBeNull()
})
