import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { exampleWorld, serveWorld } from '../../test/protocols/world.ts'
import type { HttpParts, HttpServer } from './http.ts'
import { documentRoutes } from './pages/docs/server.ts'
import { healthRoutes } from './pages/health/server.ts'
import { sendNotFound } from './pages/page.ts'

const servers: HttpServer[] = []
afterEach(async () => {
  vi.useRealTimers()
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

async function serve(more: Partial<HttpParts> = {}) {
  const server = await serveWorld(exampleWorld(), more)
  servers.push(server)
  return server
}

test('a configured origin may call, another may not', async () => {
  const { url } = await serve({ cors: { origins: ['https://app.example'] } })
  const ask = (origin: string) =>
    fetch(`${url}/api/v1/chatbot/chat`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    })
  const allowed = await ask('https://app.example')
  expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([204, 'https://app.example'])
  expect(allowed.headers.get('content-length')).toBeNull()
  const headers = allowed.headers.get('access-control-allow-headers')?.split(', ')
  expect(headers).toEqual(expect.arrayContaining(['tracestate', 'baggage', 'sentry-trace', 'x-trpc-source']))
  expect((await ask('https://evil.example')).headers.get('access-control-allow-origin')).toBeNull()
  const refusal = await fetch(`${url}/api/v1/chatbot/messages`, { headers: { origin: 'https://app.example' } })
  expect([refusal.status, refusal.headers.get('access-control-allow-origin')]).toEqual([401, 'https://app.example'])
})

test('bytes that are not HTTP get a problem document with a request id', async () => {
  const { port } = await serve()
  const answer = await rawExchange(port, 'this is not HTTP\r\n\r\n')
  expect(answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*x-request-id: [0-9a-f-]{36}[\s\S]*MALFORMED_REQUEST/)
  expect(answer).toMatch(/Check its first line and headers, and whether the URL begins with http or https/)
  expect(await rawExchange(port, `GET / HTTP/1.1\r\nhost: x\r\nx-long: ${'x'.repeat(20_000)}\r\n\r\n`)).toMatch(
    /^HTTP\/1\.1 431 /,
  )
})

async function rawExchange(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(text)
  let answer = ''
  for await (const chunk of socket) answer += String(chunk)
  return answer
}

test('a path that does not decode is refused with a problem document', async () => {
  const { url } = await serve()
  const answer = await fetch(`${url}/api/v1/%E0%A4%A`)
  expect([answer.status, answer.headers.get('content-type')?.split(';')[0]]).toEqual([400, 'application/problem+json'])
  expect(answer.headers.get('x-request-id')).not.toBeNull()
})

test('documents, health and metrics are served', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'documents-'))
  const openapi = join(folder, 'openapi.json')
  const openrpc = Promise.resolve({})
  const paths = { '/api/v1/x': { post: { summary: 'Does <b>x</b>', operationId: 'demo.x' } } }
  await writeFile(openapi, JSON.stringify({ info: { title: 'T', version: '1' }, paths }))
  const health = healthRoutes({
    checks: async () => ({ storage: 'ok' }),
    metrics: async () => 'up 1\n',
    mayReadMetrics: ({ headers }) => headers.authorization === 'Bearer operator',
    closing: new AbortController().signal,
  })
  const { url } = await serve({ routes: [await documentRoutes({ openapi, server: '/', openrpc }), health] })
  await rm(folder, { recursive: true })
  const get = async (path: string) => {
    const answer = await fetch(url + path)
    return [answer.status, await answer.text()]
  }
  expect((await get('/openapi.json'))[1]).toContain('demo.x')
  expect(await get('/openrpc.json')).toEqual([200, '{}'])
  expect((await get('/docs/api'))[1]).toContain('Does &#60;b&#62;')
  expect((await get('/health/live'))[0]).toBe(200)
  expect((await get('/health/ready'))[0]).toBe(200)
  expect((await get('/metrics'))[0]).toBe(401)
  const scraped = await fetch(`${url}/metrics`, { headers: { authorization: 'Bearer operator' } })
  expect([scraped.status, await scraped.text()]).toEqual([200, 'up 1\n'])
})

test('readiness checks its parts once a second for all callers, and says what is wrong', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  const closing = new AbortController()
  let asked = 0
  const checks = async () => {
    asked += 1
    return { storage: asked === 1 ? 'does not answer' : 'ok' }
  }
  const { url } = await serve({
    routes: [healthRoutes({ checks, metrics: async () => '', mayReadMetrics: () => true, closing: closing.signal })],
  })
  const ready = async () => {
    const answer = await fetch(`${url}/health/ready`)
    return [answer.status, await answer.json()]
  }
  const wrong = [503, { status: 'not ready', checks: { storage: 'does not answer' } }]
  expect(await Promise.all([ready(), ready()])).toEqual([wrong, wrong])
  expect(await ready()).toEqual(wrong)
  expect(asked).toBe(1)
  vi.advanceTimersByTime(1_000)
  expect(await ready()).toEqual([200, { status: 'ready', checks: { storage: 'ok' } }])
  closing.abort()
  expect(await ready()).toEqual([503, { status: 'not ready', checks: { server: 'closing' } }])
})

test('strict-transport-security is sent where it is asked for, and nowhere else', async () => {
  for (const hsts of [true, false]) {
    const { url } = await serve({ hsts })
    const response = await fetch(`${url}/nothing`)
    expect(response.headers.get('strict-transport-security')).toBe(hsts ? 'max-age=31536000' : null)
  }
})

test('a browser at an unknown path is shown a page with ways on, a program a problem document', async () => {
  const { url } = await serve({ notFoundPage: sendNotFound })
  for (const [accept, type] of [
    ['text/html,application/xhtml+xml,*/*;q=0.8', 'text/html; charset=utf-8'],
    ['*/*', 'application/problem+json; charset=utf-8'],
  ] as const) {
    const response = await fetch(`${url}/nowhere`, { headers: { accept } })
    expect([response.status, response.headers.get('content-type')]).toEqual([404, type])
    if (accept !== '*/*') expect(await response.text()).toContain('href="/docs"')
  }
})

test('an unsupported Expect is refused with what to do', async () => {
  const { port } = await serve()
  const answer = await rawExchange(
    port,
    'POST /x HTTP/1.1\r\nhost: x\r\nexpect: a-miracle\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}',
  )
  expect(answer).toMatch(/^HTTP\/1\.1 417 [\s\S]*problem\+json[\s\S]*Send the request without it/)
})

test('bytes of a path that are no text are refused with what to write, also for a page of another origin', async () => {
  const { url } = await serve({ cors: { origins: ['https://app.example'] } })
  for (const bytes of ['%E9', '%FF', '%ZZ', '%']) {
    const refused = await fetch(`${url}/api/v1/wallets/${bytes}/policy`, { headers: { origin: 'https://app.example' } })
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([400, 'https://app.example'])
    expect(await refused.text()).toContain('Write % as %25')
  }
})
