import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import { createHttpProvider, type HttpProviderOptions } from './http.ts'
import { createAnswerCache } from './http-cache.ts'
import { secretsOf } from './http-endpoint.ts'
import { retryAfter } from './http-failure.ts'

type Reply = (request: IncomingMessage, response: ServerResponse) => void

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** A server that answers by the given replies in turn, the last one for ever, and a client of it. */
async function pair(replies: Reply[], options: Partial<HttpProviderOptions> = {}) {
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`)
    const reply = replies[Math.min(seen.length, replies.length) - 1]
    reply?.(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const { times, ...more } = options
  const provider = createHttpProvider({
    ...{ name: 'The test provider', urlSetting: 'TEST_URL', keySetting: 'TEST_KEY' },
    ...{ baseUrl: `http://127.0.0.1:${port}/api`, times: { attemptMs: 300, pauseMs: 1, ...times } },
    ...more,
  })
  closing.push(async () => {
    await provider.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const signal = new AbortController().signal
  const get = (more: object = {}) =>
    provider.ask({ path: '/thing', schema: z.object({ a: z.number() }), signal, ...more })
  return { provider, get, seen, port }
}

const good: Reply = (_request, response) => response.end('{"a":1}')
const status =
  (code: number, headers: Record<string, string> = {}, text = 'no'): Reply =>
  (_request, response) =>
    response.writeHead(code, headers).end(text)
const reset: Reply = (request) => request.socket.destroy()
const cut: Reply = (request, response) => {
  response.writeHead(200, { 'content-length': '100' }).write('{"a":')
  setImmediate(() => request.socket.destroy())
}
const silent: Reply = () => undefined

test.each([
  ['a reset', [reset, good], 2],
  ['a cut answer', [cut, cut, good], 3],
  ['a cut text in a whole frame', [status(200, {}, '{"a":'), good], 2],
  ['silence', [silent, good], 2],
  ['500', [status(500), good], 2],
  ['503', [status(503), good], 2],
  ['429 with Retry-After', [status(429, { 'retry-after': '0' }), good], 2],
])('goes on after %s', async (_name, replies, requests) => {
  const { get, seen } = await pair(replies)
  expect(await get()).toMatchObject({ value: { a: 1 }, ageMs: 0 })
  expect(seen).toHaveLength(requests)
})

test.each([
  ['resets', reset, 'UNAVAILABLE', 3],
  ['silence', silent, 'DEADLINE_EXCEEDED', 3],
  ['500 for ever', status(500), 'UNAVAILABLE', 3],
  ['401', status(401), 'UNAVAILABLE', 1],
  ['402', status(402), 'UNAVAILABLE', 1],
  ['404', status(404), 'NOT_FOUND', 1],
  ['400', status(400, {}, '{"error":"bad chain"}'), 'INVALID_ARGUMENT', 1],
  ['a redirect', status(302, { location: 'http://127.0.0.1:1/' }), 'UNAVAILABLE', 1],
  ['another shape', status(200, {}, '{"b":1}'), 'UNAVAILABLE', 1],
  ['no JSON', status(200, {}, '<html>'), 'UNAVAILABLE', 3],
  ['too deep a nesting', status(200, {}, '['.repeat(40) + ']'.repeat(40)), 'UNAVAILABLE', 1],
  ['a page of scripts', status(200, {}, `<script>${'{'.repeat(40)}`), 'UNAVAILABLE', 3],
])('%s is an error that names no address', async (_name, reply, code, requests) => {
  const { get, seen, port } = await pair([reply])
  const failure = await get().then(null, (error) => error)
  expect(failure).toMatchObject({ code })
  expect(seen).toHaveLength(requests)
  for (let error = failure; error !== undefined; error = error.cause) expect(error.message).not.toContain(String(port))
})

test('a large answer is not read to its end', async () => {
  const { get } = await pair([
    (_request, response) => {
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
        response.once('drain', more)
      }
      more()
    },
  ])
  await expect(get({ mostBytes: 200_000 })).rejects.toMatchObject({ code: 'UNAVAILABLE', message: /ask for less/ })
})

test.each([
  ['gzip', gzipSync],
  ['br', brotliCompressSync],
  ['deflate', deflateSync],
])('an answer may be packed by %s, whole or cut', async (encoding, pack) => {
  const packed = pack(JSON.stringify({ a: 1, b: 'x'.repeat(100_000) }))
  const send =
    (bytes: Buffer): Reply =>
    (_request, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(bytes)
  const { get, seen } = await pair([send(packed.subarray(0, packed.length / 2)), send(packed)])
  expect(await get()).toMatchObject({ value: { a: 1 } })
  expect(seen).toHaveLength(2)
})

test('a small packed answer that is large when unpacked is not unpacked to its end', async () => {
  const packed = gzipSync(Buffer.alloc(64 * 1_048_576, ' '))
  const { get, seen } = await pair([
    (request, response) => {
      expect(request.headers['accept-encoding']).toContain('gzip')
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed)
    },
  ])
  await expect(get({ mostBytes: 200_000 })).rejects.toMatchObject({ code: 'UNAVAILABLE', message: /ask for less/ })
  expect(seen).toHaveLength(1)
})

test('a long answer may take its time', async () => {
  const slow: Reply = (_request, response) => void setTimeout(() => response.end('{"a":1}'), 150)
  const { get, seen } = await pair([slow], { times: { attemptMs: 50, deadlineMs: 200 } })
  expect(await get({ patience: 100 })).toMatchObject({ value: { a: 1 } })
  expect(seen).toHaveLength(1)
  await expect(get()).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' })
})

test('a long Retry-After is told, and nobody asks before it', async () => {
  const { get, seen } = await pair([status(429, { 'retry-after': '60' }), good])
  await expect(get()).rejects.toMatchObject({ code: 'UNAVAILABLE', details: { retryAfterSeconds: 60 } })
  await expect(get({ path: '/other' })).rejects.toMatchObject({ details: { retryAfterSeconds: 60 } })
  expect(seen).toHaveLength(1)
})

test.each([400, 403, 503])('%d with a Retry-After is told with its seconds', async (code) => {
  const { get, seen } = await pair([status(code, { 'retry-after': '120' }), good])
  for (const _ of [1, 2]) await expect(get()).rejects.toMatchObject({ details: { retryAfterSeconds: 120 } })
  expect(seen).toHaveLength(1)
})

test('a ban holds for everybody as long as it is said, also after the hours of a limit', async () => {
  const { get, seen } = await pair([status(418, { 'retry-after': '86400' }), good])
  await expect(get()).rejects.toMatchObject({ code: 'UNAVAILABLE', details: { retryAfterSeconds: 86_400 } })
  await expect(get({ path: '/other' })).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(seen).toHaveLength(1)
})

test('a provider that fails is left alone, then tried once', async () => {
  const failing = Array.from({ length: 6 }, () => reset)
  const { get, seen } = await pair([...failing, good], { times: { retries: 0, failures: 5, restMs: 200 } })
  for (let count = 0; count < 5; count += 1) await expect(get()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  await expect(get()).rejects.toMatchObject({ details: { retryAfterSeconds: 1 } })
  expect(seen).toHaveLength(5)
  await new Promise((resolve) => setTimeout(resolve, 250))
  const both = await Promise.allSettled([get(), get({ path: '/other' })])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(seen).toHaveLength(6)
  await new Promise((resolve) => setTimeout(resolve, 250))
  expect(await get()).toMatchObject({ value: { a: 1 } })
})

test('an answer that is nested too deep for one is not held against the provider by the others', async () => {
  const deep = status(200, {}, '['.repeat(40) + ']'.repeat(40))
  const { get } = await pair([deep, deep, good], { times: { failures: 1 } })
  for (const _ of [1, 2]) await expect(get()).rejects.toMatchObject({ code: 'UNAVAILABLE', message: /ask for less/ })
  expect(await get()).toMatchObject({ value: { a: 1 } })
})

test('an attempt that the deadline ends counts against the provider', async () => {
  const { get, seen } = await pair([silent], { times: { attemptMs: 60_000, deadlineMs: 50, failures: 1 } })
  await expect(get()).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' })
  await expect(get()).rejects.toMatchObject({ code: 'UNAVAILABLE', message: /left alone/ })
  expect(seen).toHaveLength(1)
})

test('a POST is sent again only where it may be', async () => {
  const { get, seen } = await pair([reset, reset, good])
  await expect(get({ body: { q: 1 } })).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(seen).toEqual(['POST /api/thing'])
  expect(await get({ body: { q: 1 }, repeatable: true })).toMatchObject({ value: { a: 1 } })
  expect(seen).toHaveLength(3)
})

test('equal calls share a request, and its end waits for the last of them', async () => {
  let answer = () => {}
  const held: Reply = (_request, response) => {
    answer = () => response.end('{"a":1}')
  }
  const { provider, seen } = await pair([held])
  const leaving = new AbortController()
  const ask = (signal: AbortSignal) => provider.ask({ path: '/thing', schema: z.object({ a: z.number() }), signal })
  const first = ask(leaving.signal)
  const second = ask(new AbortController().signal)
  await expect.poll(() => seen.length).toBe(1)
  leaving.abort()
  await expect(first).rejects.toMatchObject({ code: 'CANCELLED' })
  answer()
  expect(await second).toMatchObject({ value: { a: 1 } })
  expect(seen).toHaveLength(1)
})

test('a request ends when nobody waits for it any more', async () => {
  let ended = false
  const held: Reply = ({ socket }) => {
    socket.on('close', () => {
      ended = true
    })
  }
  const { provider, seen } = await pair([held])
  const leaving = new AbortController()
  const asked = provider.ask({ path: '/thing', schema: z.unknown(), signal: leaving.signal })
  await expect.poll(() => seen.length).toBe(1)
  leaving.abort()
  await expect(asked).rejects.toMatchObject({ code: 'CANCELLED' })
  await expect.poll(() => ended).toBe(true)
})

test('a kept answer tells its age, and is asked for again after its time', async () => {
  const { get, seen } = await pair([good])
  await get({ cacheMs: 200 })
  await new Promise((resolve) => setTimeout(resolve, 60))
  const kept = await get({ cacheMs: 200 })
  expect(kept.ageMs).toBeGreaterThanOrEqual(50)
  expect(seen).toHaveLength(1)
  await new Promise((resolve) => setTimeout(resolve, 250))
  expect(await get({ cacheMs: 200 })).toMatchObject({ ageMs: 0 })
  expect(seen).toHaveLength(2)
})

test('a long list is kept too', async () => {
  const rows = Array.from({ length: 60_000 }, (_, a) => ({ a, left: 'out'.repeat(20) }))
  const { provider, seen } = await pair([status(200, {}, JSON.stringify(rows))], { times: { attemptMs: 5_000 } })
  const schema = z.array(z.object({ a: z.number() }))
  const asked = {
    path: '/list',
    schema,
    mostBytes: 32 * 1_048_576,
    cacheMs: 60_000,
    signal: new AbortController().signal,
  }
  expect((await provider.ask(asked)).value).toHaveLength(60_000)
  expect((await provider.ask(asked)).latencyMs).toBe(0)
  expect(seen).toHaveLength(1)
})

test('what providers keep together is bounded by its bytes, and each finds its own', async () => {
  const cache = createAnswerCache(20_000)
  const kept = { cacheMs: 60_000 }
  const text = z.object({ text: z.string() })
  const long = status(200, {}, JSON.stringify({ text: 'x'.repeat(4_000) }))
  const [left, right] = [await pair([long], { cache }), await pair([long], { cache, urlSetting: 'OTHER_URL' })]
  const ask = async ({ get }: typeof left, path: string) => await get({ ...kept, path, schema: text })
  for (const one of [left, right]) for (const _ of [1, 2]) await ask(one, '/first')
  expect([left.seen.length, right.seen.length]).toEqual([1, 1])
  await ask(right, '/second') // the three have no room together
  await ask(left, '/first')
  await ask(right, '/second')
  expect([left.seen.length, right.seen.length]).toEqual([2, 2])
  const huge = await pair([status(200, {}, JSON.stringify({ text: 'x'.repeat(6_000) }))], { cache })
  for (const _ of [1, 2]) await ask(huge, '/huge')
  expect(huge.seen).toHaveLength(2)
})

test.each([
  ['0', 0],
  ['7', 7_000],
  ['Sat, 14 Mar 2026 00:00:09 GMT', 9_000],
  ['Fri, 13 Mar 2026 00:00:00 GMT', 0],
  ['999999999', 3_600_000],
  ['soon', null],
  [undefined, null],
])('Retry-After of %s is %s ms', (header, waitMs) => {
  expect(retryAfter(header, new Date('2026-03-14T00:00:00Z'))).toBe(waitMs)
})

test('no key is in an error, even where the provider says it', async () => {
  const key = 'very-secret-key'
  const { get } = await pair([status(400, {}, `{"message":"key ${key} may not"}`)], { secrets: [key] })
  const failure = await get().then(null, (error) => error)
  expect(failure.message).toContain('key *** may not')
  expect(`${failure.message} ${failure.cause.message}`).not.toContain(key)
})

test('a refusal of a million open brackets is told as any other, in a few words', async () => {
  const { get } = await pair([status(400, {}, `<b>wrong</b> ${'<'.repeat(1_000_000)}`)], {
    times: { attemptMs: 5_000 },
  })
  const failure = await get().then(null, (error) => error)
  expect(failure).toMatchObject({ code: 'INVALID_ARGUMENT', message: /does not take the request: wrong/ })
  expect(failure.message.length).toBeLessThan(400)
})

test('a user and password of the address travel as a header alone', async () => {
  let header: string | undefined
  const reply: Reply = (request, response) => {
    header = request.headers.authorization
    response.end('{"a":1}')
  }
  const { port } = await pair([reply])
  const provider = createHttpProvider({
    ...{ name: 'The test provider', urlSetting: 'TEST_URL', baseUrl: `http://ada:p%40ss@127.0.0.1:${port}` },
  })
  closing.push(provider.close)
  await provider.ask({ path: '/', schema: z.unknown(), signal: new AbortController().signal })
  expect(header).toBe(`Basic ${Buffer.from('ada:p@ss').toString('base64')}`)
})

test.each([
  ['a user alone', 'http://k3y%40user@127.0.0.1', 'k3y@user'],
  ['a password', 'http://ada:p%2Fss@127.0.0.1', 'p/ss'],
  ['a user beside a password', 'http://ada-the-key:p@127.0.0.1', 'ada-the-key'],
  ['what is no percent-encoding', 'http://100%25%zz@127.0.0.1', '100%25%zz'],
])('%s of the address is in no error, however it is spelled', async (_name, address, secret) => {
  const { port } = await pair([status(400, {}, `${secret} or ${encodeURIComponent(secret)} may not`)])
  const provider = createHttpProvider({
    name: 'The test provider',
    urlSetting: 'TEST_URL',
    baseUrl: `${address}:${port}`,
  })
  closing.push(provider.close)
  const asked = provider.ask({ path: '/', schema: z.unknown(), signal: new AbortController().signal })
  await expect(asked).rejects.toMatchObject({ message: /: \*\*\* or \*\*\* may not/ })
})

test('parts of a path that may be a key are secrets, names are not', () => {
  expect(secretsOf('https://provider.example/api/v3/k3y%2Fxyz/')).toEqual(['k3y%2Fxyz'])
})
