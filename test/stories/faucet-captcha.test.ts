import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Refusal } from '../clients/client.ts'
import { openWorld, protocols, type World } from '../world.ts'

const newAddress = () => privateKeyToAddress(generatePrivateKey())

describe('a faucet with a captcha and its own limits', () => {
  let world: World
  let asked: Record<string, string>[]
  let broken = false
  const verifier = createServer(async (request, response) => {
    const fields = Object.fromEntries(new URLSearchParams(await text(request)))
    asked.push(fields)
    response.writeHead(broken ? 500 : 200).end(JSON.stringify({ success: fields.response === 'human' }))
  })
  beforeAll(async () => {
    asked = []
    await new Promise<void>((resolve) => verifier.listen(0, '127.0.0.1', resolve))
    world = await openWorld({
      CAPTCHA_VERIFY_URL: `http://127.0.0.1:${(verifier.address() as AddressInfo).port}/siteverify`,
      CAPTCHA_SECRET: 'site-secret',
      FAUCET_AMOUNT: '0.5',
      FAUCET_COOLDOWN_SECONDS: '3600',
      FAUCET_DAILY_CAP: '1.7',
    })
  })
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
    verifier.closeAllConnections()
    await new Promise((resolve) => verifier.close(resolve))
  })

  test('refuses who sends none or a wrong one, in its own shape, and pays who sends a good one', async () => {
    const claim = async (body: object) => {
      const headers = { 'content-type': 'application/json' }
      const url = new URL('/faucet/api/claim', world.urls.http)
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
      return { status: response.status, body: (await response.json()) as object }
    }
    const address = newAddress()
    const refused = { success: false, txHash: '', amount: '0' }
    const before = Date.now()
    const expectAtOnce = (answer: Awaited<ReturnType<typeof claim>>, error: RegExp) => {
      const body = { ...refused, nextClaimTime: expect.any(String), error: expect.stringMatching(error) }
      expect(answer).toEqual({ status: 422, body })
      const { nextClaimTime } = answer.body as { nextClaimTime: string }
      expect(Date.parse(nextClaimTime)).toBeGreaterThanOrEqual(before)
      expect(Date.parse(nextClaimTime)).toBeLessThanOrEqual(Date.now())
    }
    for (const captcha of [undefined, '', 'robot']) expectAtOnce(await claim({ address, captcha }), /^captcha: /)
    const asTyped = '0xe620D977c3D3fb99B1d0f5c16812FfaED1aF59a8'
    for (const wrong of ['0x12', asTyped, 'ada.eth', address.slice(2), `${address}0`, 7, null])
      expectAtOnce(await claim({ address: wrong, captcha: 'human' }), /^address: /)
    expect(asked).toEqual([{ secret: 'site-secret', response: 'robot', remoteip: '127.0.0.1' }])
    for (const client of protocols.map((protocol) => world.clients[protocol]))
      expect(await client.call('chain.claimFaucet', { address, captcha: 'robot' })).toMatchObject({
        code: 'INVALID_ARGUMENT',
        violations: [{ path: 'captcha' }],
      })
    broken = true
    expect(await claim({ address, captcha: 'human' })).toMatchObject({ status: 503, body: { success: false } })
    broken = false
    const { status, body } = await claim({ address, captcha: 'human' })
    expect({ status, body }).toMatchObject({ status: 200, body: { success: true, amount: '500000000000000000' } })
    const verified = asked.length
    const { nextClaimTime } = body as { nextClaimTime: string }
    // A caller who must wait learns until when, and can use the captcha's answer later.
    for (const captcha of [undefined, 'robot', 'human'])
      expect(await claim({ address, captcha })).toMatchObject({ status: 429, body: { ...refused, nextClaimTime } })
    expect(asked).toHaveLength(verified)
  })

  test('the page asks for the captcha, and claims with its answer', async () => {
    const url = new URL('/faucet', world.urls.http)
    const headers = { accept: 'text/html' }
    const page = await fetch(url, { headers })
    expect(await page.text()).toContain('<input name="captcha"')
    const send = (fields: Record<string, string>) =>
      fetch(url, { method: 'POST', headers, body: new URLSearchParams(fields), redirect: 'manual' })
    const address = newAddress()
    for (const captcha of ['', 'robot']) {
      const refused = await send({ address, captcha })
      expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining('<b>The captcha is')])
    }
    expect((await send({ address, captcha: 'human' })).status).toBe(303)
  })

  test('pays no more than its cap in a day, and says when there is more', async () => {
    const { trpc } = world.clients
    const next = () => trpc.call('chain.claimFaucet', { address: newAddress(), captcha: 'human' })
    expect(await next()).toMatchObject({ ok: true })
    const refusal = await next()
    expect(refusal).toMatchObject({ ok: false, code: 'RATE_LIMITED', message: expect.stringMatching(/today/) })
    expect((refusal as Refusal).metadata?.next_claim_time).toMatch(/T00:00:00\.000Z$/)
  })
})
