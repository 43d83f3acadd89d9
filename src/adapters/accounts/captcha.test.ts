import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
import { createCaptcha } from './captcha.ts'

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

/** A verifier that returns the given response; returns its URL. */
async function verifier(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stops.push(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/siteverify`
}

const says = (body: string, status = 200) =>
  verifier((_request, response) => void response.writeHead(status, { 'content-type': 'application/json' }).end(body))

test('sends the request that all verifiers share, and returns their verdict', async () => {
  const requests: Record<string, unknown>[] = []
  const url = await verifier(async (request, response) => {
    const fields = Object.fromEntries(new URLSearchParams(await text(request)))
    requests.push({ method: request.method, type: request.headers['content-type'], ...fields })
    response.end(JSON.stringify({ success: fields.response === 'good & true', 'error-codes': [] }))
  })
  const captcha = createCaptcha({ url, secret: 'site-secret' })
  expect(await captcha.verify('good & true', '203.0.113.7')).toBe(true)
  expect(await captcha.verify('bad', '2001:db8::/64')).toBe(false)
  const form = { method: 'POST', type: expect.stringMatching(/^application\/x-www-form-urlencoded/) }
  expect(requests).toEqual([
    { ...form, secret: 'site-secret', response: 'good & true', remoteip: '203.0.113.7' },
    { ...form, secret: 'site-secret', response: 'bad' },
  ])
})

test.each([
  ['no JSON', 'Bad gateway'],
  ['no verdict', '{"success":"true"}'],
  ['null', 'null'],
  ['a secret of ours that is wrong', '{"success":false,"error-codes":["invalid-input-secret"]}'],
  ['too much', `{"success":true,"padding":"${'x'.repeat(20_000)}"}`],
])('a verifier that returns %s is unavailable, and its secret is not shown', async (_what, body) => {
  const captcha = createCaptcha({ url: await says(body), secret: 'site-secret' })
  const failure = await captcha.verify('any', '127.0.0.1').catch((error: unknown) => error)
  expect(failure).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringMatching(/captcha/) })
  expect(String((failure as Error).cause)).not.toContain('site-secret')
})

test('an expired or used response is refused', async () => {
  const url = await says('{"success":false,"error-codes":["timeout-or-duplicate"]}')
  expect(await createCaptcha({ url, secret: 's' }).verify('used', '127.0.0.1')).toBe(false)
})

test('a verifier that fails, leads elsewhere, is silent or away is unavailable', async () => {
  const elsewhere = await verifier((_request, response) => void response.writeHead(302, { location: '/ok' }).end())
  const silent = await verifier(() => undefined)
  const away = await says('{}')
  for (const stop of stops.splice(2, 1)) await stop()
  for (const url of [await says('{"success":true}', 500), elsewhere, silent, away]) {
    const captcha = createCaptcha({ url, secret: 's', timeoutMs: 300 })
    await expect(captcha.verify('any', '127.0.0.1')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  }
})
