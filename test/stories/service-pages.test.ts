import { createWalletClient, http, parseEther } from 'viem'
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rpc } from '../clients/rpc-call.ts'
import { openWorld, type World } from '../world.ts'

/** The first account that every development chain funds. */
const account = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')

let world: World
beforeAll(async () => {
  world = await openWorld({ FAUCET_AMOUNT: '0.5' })
})
afterAll(async () => await world[Symbol.asyncDispose]())

/** What a browser gets for a link. */
async function get(path: string, headers: Record<string, string> = { accept: 'text/html,*/*;q=0.8' }) {
  const response = await fetch(new URL(path, world.urls.http), { headers })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** What a browser gets for the form of the faucet, which it sends from a page of this site. */
async function send(
  fields: Record<string, string>,
  from: Record<string, string> = { 'sec-fetch-site': 'same-origin' },
) {
  const headers = { accept: 'text/html', ...from }
  const body = new URLSearchParams(fields)
  const url = new URL('/faucet', world.urls.http)
  const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual' })
  return { status: response.status, location: response.headers.get('location') ?? '', text: await response.text() }
}

test('a claim by the form leads to its state, which refreshes until it is paid, and a second one is refused', async () => {
  const form = await get('/faucet')
  expect([form.status, form.text]).toEqual([200, expect.stringContaining('Pays 0.5 ETH to an address, once in 24 h.')])
  expect(form.text).toContain('<form action="/faucet" method="post"><input name="address"')
  const address = privateKeyToAddress(generatePrivateKey())
  const claimed = await send({ address })
  expect([claimed.status, claimed.location]).toEqual([303, expect.stringMatching(/^\/faucet\?claim=[0-9a-f-]{36}$/)])
  await expect
    .poll(async () => {
      const { headers, text } = await get(claimed.location)
      return [headers.get('refresh'), /<th>State<\/th><td>(\w+)/.exec(text)?.[1]]
    })
    .toEqual([null, 'paid'])
  const { text } = await get(claimed.location)
  const payment = /href="\/explorer\/tx\/(0x[0-9a-f]{64})"/.exec(text)?.[1]
  expect((await get(`/explorer/tx/${payment}`)).text).toContain('0.5 ETH')
  expect((await get(`/faucet?claim=${payment}`)).text).toContain('<td>paid</td>')
  const again = await send({ address })
  expect([again.status, again.text]).toEqual([429, expect.stringContaining('This address has already claimed.')])
  expect(again.text).toContain(`value="${address}"`)
})

test('a wrong address is shown again, escaped, with what is wrong', async () => {
  for (const address of ['', '0x12', '"><script>alert(1)</script>', 'x'.repeat(100_000)]) {
    const { status, text } = await send({ address })
    expect([status, text]).toEqual([422, expect.stringContaining('<b>The address must be')])
    expect(text).not.toContain('<script>alert')
    expect(text.length).toBeLessThan(5_000)
  }
  const unread = { accept: 'text/html', 'content-type': 'text/plain' }
  const response = await fetch(new URL('/faucet', world.urls.http), { method: 'POST', headers: unread, body: 'x' })
  expect(response.status).toBe(415)
})

test('a form that another site sends claims nothing', async () => {
  const address = privateKeyToAddress(generatePrivateKey())
  for (const from of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'http://evil.example' },
    { origin: 'null' },
  ])
    expect((await send({ address }, from)).status).toBe(403)
  expect((await send({ address }, { origin: new URL(world.urls.http).origin })).status).toBe(303)
})

test('an unknown claim or transfer is a page that says so', async () => {
  const hash = `0x${'00'.repeat(32)}`
  for (const [path, status] of [
    [`/faucet?claim=${hash}`, 404],
    ['/faucet?claim=%3Cscript%3Ealert', 422],
    [`/bridge?transfer=${hash}`, 404],
    ['/bridge?transfer=%3Cscript%3Ealert', 422],
  ] as const) {
    const answer = await get(path)
    expect([path, answer.status]).toEqual([path, status])
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(answer.text).toContain('role="alert"')
    expect(answer.text).not.toContain('<script>alert')
  }
})

test('a deposit is shown until it is complete, on one page for both of its hashes', async () => {
  const form = await get('/bridge')
  expect([form.status, form.text]).toEqual([
    200,
    expect.stringContaining('<form action="/bridge"><input type="search"'),
  ])
  const { result } = await rpc(world.urls.rpc, 'rollup_rollupConfig')
  const parent = createWalletClient({ account, transport: http(world.urls.l1) })
  const to = result.deposit_contract_address
  const hash = await parent.sendTransaction({ chain: null, to, value: parseEther('0.25') })
  await expect
    .poll(async () => (await get(`/bridge?transfer=${hash}`)).text, { timeout: 120_000 })
    .toContain('<th>State</th><td>complete</td>')
  const { text, headers } = await get(`/bridge?transfer=${hash}`)
  expect(headers.get('refresh')).toBeNull()
  for (const shown of ['0.25 ETH', 'from the parent chain to this chain', 'nothing is left to do'])
    expect(text).toContain(shown)
  const rollupHash = /href="\/explorer\/tx\/(0x[0-9a-f]{64})"/.exec(text)?.[1]
  expect((await get(`/bridge?transfer=${rollupHash}`)).text).toContain(`title="${hash}"`)
  expect((await get(`/explorer/tx/${rollupHash}`)).text).toContain(`href="/bridge?transfer=${rollupHash}"`)
})

test('a program that accepts no HTML gets the problem document of an unknown path', async () => {
  expect((await get('/faucet', {})).status).toBe(200)
  for (const path of ['/faucet', '/bridge', '/faucet?claim=1', '/api/v1/nothing']) {
    const accept = path.startsWith('/api') ? 'text/html, */*' : 'application/json, text/html;q=0'
    const answer = await get(path, { accept })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      404,
      expect.stringMatching(/^application\/problem\+json/),
    ])
  }
})

test('the policy of the form lets the widget of its captcha load, on a refusal too', async () => {
  await using guarded = await openWorld({
    CAPTCHA_VERIFY_URL: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
    CAPTCHA_SECRET: 'secret',
    CAPTCHA_SITE_KEY: 'site-key',
  })
  const url = new URL('/faucet', guarded.urls.http)
  const headers = { accept: 'text/html' }
  for (const response of [
    await fetch(url, { headers }),
    await fetch(url, { method: 'POST', headers, body: new URLSearchParams({ address: '0x12' }) }),
  ]) {
    expect(await response.text()).toContain('<div class="cf-turnstile" data-sitekey="site-key">')
    const policy = response.headers.get('content-security-policy')
    expect(policy).toMatch(/script-src 'sha256-[^;]+ https:\/\/challenges\.cloudflare\.com;/)
    expect(policy).toContain('frame-src https://challenges.cloudflare.com;')
  }
})
