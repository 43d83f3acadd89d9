import { expect, test } from 'vitest'
import { z } from 'zod'
import { httpPairs, type Reply, status } from '../../../test/providers/http-pairs.ts'
import { createHttpProvider } from './http.ts'
import { secretsOf } from './http-endpoint.ts'

const { pair, closing } = httpPairs()

test('no key is in an error, even where the provider says it', async () => {
  const key = 'very-secret-key'
  const { get } = await pair([status(400, {}, `{"message":"key ${key} may not"}`)], { secrets: [key] })
  const failure = await get().then(null, (error) => error)
  expect(failure.message).toContain('key *** may not')
  expect(`${failure.message} ${failure.cause.message}`).not.toContain(key)
})

test('a refusal of a million open brackets is reported as any other, in one short line', async () => {
  const { get } = await pair([status(400, {}, `<b>wrong</b> ${'<'.repeat(1_000_000)}`)], {
    times: { attemptMs: 5_000 },
  })
  const failure = await get().then(null, (error) => error)
  expect(failure).toMatchObject({ code: 'INVALID_ARGUMENT', message: /refuses the request: wrong/ })
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
    name: 'The test provider',
    urlSetting: 'TEST_URL',
    baseUrl: `http://ada:p%40ss@127.0.0.1:${port}`,
  })
  closing.push(provider.close)
  await provider.request({ path: '/', schema: z.unknown(), signal: new AbortController().signal })
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
  const asked = provider.request({ path: '/', schema: z.unknown(), signal: new AbortController().signal })
  await expect(asked).rejects.toMatchObject({ message: /: \*\*\* or \*\*\* may not/ })
})

test('parts of a path that may be a key are secrets, names are not', () => {
  expect(secretsOf('https://provider.example/api/v3/k3y%2Fxyz/')).toEqual(['k3y%2Fxyz'])
})
