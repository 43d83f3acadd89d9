import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { cut, good, httpPairs, type Reply, reset, silent, status } from '../../../test/providers/http-pairs.ts'
import { retryAfter } from './http-failure.ts'

const { pair } = httpPairs()

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
  await expect(get({ mostBytes: 200_000 })).rejects.toMatchObject({ code: 'UNAVAILABLE', message: /Request less/ })
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
  await expect(get({ mostBytes: 200_000 })).rejects.toMatchObject({ code: 'UNAVAILABLE', message: /Request less/ })
  expect(seen).toHaveLength(1)
})

test('a long answer may take its time', async () => {
  const slow: Reply = (_request, response) => void setTimeout(() => response.end('{"a":1}'), 150)
  const { get, seen } = await pair([slow], { times: { attemptMs: 50, deadlineMs: 200 } })
  expect(await get({ timeFactor: 100 })).toMatchObject({ value: { a: 1 } })
  expect(seen).toHaveLength(1)
  await expect(get()).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' })
})

test('a long Retry-After is returned, and no request is sent before it', async () => {
  const { get, seen } = await pair([status(429, { 'retry-after': '60' }), good])
  await expect(get()).rejects.toMatchObject({ code: 'UNAVAILABLE', details: { retryAfterSeconds: 60 } })
  await expect(get({ path: '/other' })).rejects.toMatchObject({ details: { retryAfterSeconds: 60 } })
  expect(seen).toHaveLength(1)
})

test.each([400, 403, 503])('%d with a Retry-After is returned with its seconds', async (code) => {
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

test('requests to a failing provider pause, then one tests it', async () => {
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
  for (const _ of [1, 2]) await expect(get()).rejects.toMatchObject({ code: 'UNAVAILABLE', message: /Request less/ })
  expect(await get()).toMatchObject({ value: { a: 1 } })
})

test('an attempt that the deadline ends counts against the provider', async () => {
  const { get, seen } = await pair([silent], { times: { attemptMs: 60_000, deadlineMs: 50, failures: 1 } })
  await expect(get()).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' })
  await expect(get()).rejects.toMatchObject({ code: 'UNAVAILABLE', message: /is paused/ })
  expect(seen).toHaveLength(1)
})

test('a POST is sent again only where it may be', async () => {
  const { get, seen } = await pair([reset, reset, good])
  await expect(get({ body: { q: 1 } })).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(seen).toEqual(['POST /api/thing'])
  expect(await get({ body: { q: 1 }, repeatable: true })).toMatchObject({ value: { a: 1 } })
  expect(seen).toHaveLength(3)
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
