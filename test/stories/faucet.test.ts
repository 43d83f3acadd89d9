import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { type Client, output, type Refusal } from '../clients/client.ts'
import { type PostgresServer, startPostgres } from '../ports/databases.ts'
import { openWorld, protocols, type World } from '../world.ts'

const newAddress = () => privateKeyToAddress(generatePrivateKey())
const paid = '10000000000000000000'

function suite(open: () => Promise<World>): void {
  let world: World
  beforeAll(async () => {
    world = await open()
  }, 60_000)
  afterAll(async () => await world?.[Symbol.asyncDispose]())

  const balance = async (address: string) => BigInt(String(await world.askChain('eth_getBalance', [address, 'latest'])))
  const clients = (): Client[] => protocols.map((protocol) => world.clients[protocol])
  const status = async (client: Client, name: string) =>
    await output(client.call('chain.faucetClaim', { tx_hash: name }))

  test('a hundred claims at once for one address, over every protocol, are one payment', async () => {
    const address = newAddress()
    const spelled = (index: number) => (index % 2 === 0 ? address : address.toLowerCase())
    const asked = Array.from({ length: 100 }, (_, index) =>
      clients()[index % 3]!.call('chain.claimFaucet', { address: spelled(index) }),
    )
    const answers = await Promise.all(asked)
    const won = answers.filter(({ ok }) => ok)
    expect(won).toHaveLength(1)
    const claim = (won[0] as { output: { txHash: string; amount: string; nextClaimTime: string } }).output
    expect(claim).toMatchObject({ success: true, amount: paid, txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/) })
    for (const answer of answers.filter(({ ok }) => !ok)) {
      expect(answer).toMatchObject({
        code: 'RATE_LIMITED',
        message: expect.stringMatching(/already claimed/),
        metadata: { next_claim_time: claim.nextClaimTime },
      })
      expect((answer as Refusal).retryAfterSeconds).toBeGreaterThan(86_000)
    }
    for (const client of clients())
      await until(async () => (await status(client, claim.txHash)).status === 'success', 'the payment')
    expect(await balance(address)).toBe(BigInt(paid))
    const [one, two, three] = await Promise.all(clients().map((client) => status(client, claim.txHash)))
    expect([two, three]).toEqual([one, one])
  })

  test('while no block is made a claim is pending, by hash and by id, and paid once they are', async () => {
    const admin = async (method: string) =>
      await (
        await fetch(world.urls.rpc, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] }),
        })
      ).json()
    const { rest, grpc } = world.clients
    const address = newAddress()
    expect(await admin('admin_stopSequencer')).toHaveProperty('result')
    const claim = await output(rest.call('chain.claimFaucet', { address }))
    expect(claim).toMatchObject({ success: true, status: 'pending' })
    for (const name of [claim.txHash, claim.claimId])
      expect(await status(grpc, name)).toMatchObject({ status: 'pending', txHash: claim.txHash, address })
    expect(await balance(address)).toBe(0n)
    await admin('admin_startSequencer')
    await until(async () => (await status(rest, claim.claimId)).status === 'success', 'the payment')
    expect(await balance(address)).toBe(BigInt(paid))
  })

  test('a claim that nobody made is not there', async () => {
    for (const client of clients())
      for (const tx_hash of [`0x${'00'.repeat(32)}`, crypto.randomUUID()])
        expect(await client.call('chain.faucetClaim', { tx_hash })).toMatchObject({
          ok: false,
          code: 'NOT_FOUND',
        })
  })
}

describe('the faucet on SQLite', () => suite(() => openWorld()))

describe('the faucet on PostgreSQL', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(async () => await server?.stop())
  suite(async () => await openWorld({ DATABASE_URL: await server.create('faucet') }))
})

describe('a faucet with a captcha and limits of its own', () => {
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
      FAUCET_DAILY_CAP: '1.2',
    })
  }, 60_000)
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
    for (const wrong of ['0x12', 'ada.eth', address.slice(2), `${address}0`, 7, null])
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
    // Who has to wait learns until when, and keeps the captcha's answer.
    for (const captcha of [undefined, 'robot', 'human'])
      expect(await claim({ address, captcha })).toMatchObject({ status: 429, body: { ...refused, nextClaimTime } })
    expect(asked).toHaveLength(verified)
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

test('a caller with an API key has the amount and the wait of its tier, on every protocol', async () => {
  await using world = await openWorld({
    RPC_API_KEYS: 'key-of-a-developer:developer,key-of-a-customer:pro',
    FAUCET_TIERS: 'developer=100/3600',
  })
  const with100 = { amount: '100000000000000000000', waitMs: 3_600_000 }
  const with10 = { amount: paid, waitMs: 86_400_000 }
  for (const protocol of protocols)
    for (const [key, { amount, waitMs }] of [
      ['key-of-a-developer', with100],
      ['key-of-a-customer', with10],
      [null, with10],
    ] as const) {
      const client = world.clients[protocol]
      const options = key === null ? {} : { headers: { 'x-api-key': key } }
      const before = Date.now()
      const asked = { address: newAddress() }
      const claim = await output(client.call('chain.claimFaucet', asked, undefined, options))
      expect(claim).toMatchObject({ success: true, amount })
      expect(Date.parse(claim.nextClaimTime)).toBeGreaterThanOrEqual(before + waitMs)
      expect(Date.parse(claim.nextClaimTime)).toBeLessThanOrEqual(Date.now() + waitMs)
      const again = (await client.call('chain.claimFaucet', asked, undefined, options)) as Refusal
      expect(again.metadata?.next_claim_time).toBe(claim.nextClaimTime)
      const told = await output(client.call('chain.faucetClaim', { tx_hash: claim.claimId }, undefined, options))
      expect(told).toMatchObject({ amount, nextClaimTime: claim.nextClaimTime })
    }
})

describe('a client address', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(async () => await server?.stop())

  test('is granted its claims of a day, also after a restart, and learns on every protocol when there are more', async () => {
    const settings = {
      DATABASE_URL: await server.create('requests'),
      RATE_LIMITS: 'on',
      RATE_RULES: 'faucet=3/86400',
    }
    const claim = (client: Client) => client.call('chain.claimFaucet', { address: newAddress() })
    const first = await openWorld(settings)
    const oldest = Date.now()
    try {
      const address = newAddress()
      for (const [index, protocol] of protocols.entries()) {
        const client = first.clients[protocol]
        const granted = index === 0 ? client.call('chain.claimFaucet', { address }) : claim(client)
        expect(await granted).toMatchObject({ ok: true })
        // What is refused does not count.
        expect(await client.call('chain.claimFaucet', { address })).toMatchObject({ code: 'RATE_LIMITED' })
        expect(await client.call('chain.claimFaucet', { address: '0x12' })).toMatchObject({ code: 'INVALID_ARGUMENT' })
      }
      for (const protocol of protocols) await expectRefusal(await claim(first.clients[protocol]), oldest)
    } finally {
      await first[Symbol.asyncDispose]()
    }
    const second = await openWorld(settings)
    try {
      for (const protocol of protocols) await expectRefusal(await claim(second.clients[protocol]), oldest)
    } finally {
      await second[Symbol.asyncDispose]()
    }
  })

  test('may be refused so often in a minute, on all protocols together', async () => {
    await using world = await openWorld({ RATE_LIMITS: 'on', RATE_RULES: 'claim=3/60' })
    const ask = (client: Client) => client.call('chain.claimFaucet', { address: '0x12' })
    for (const protocol of protocols)
      expect(await ask(world.clients[protocol])).toMatchObject({ code: 'INVALID_ARGUMENT' })
    for (const protocol of protocols)
      expect(await ask(world.clients[protocol])).toMatchObject({
        code: 'RATE_LIMITED',
        headers: { 'x-ratelimit-limit': '3', 'x-ratelimit-remaining': '0' },
      })
  })

  async function expectRefusal(answer: unknown, oldest: number) {
    expect(answer).toMatchObject({ ok: false, code: 'RATE_LIMITED' })
    const next = Date.parse((answer as Refusal).metadata?.next_claim_time ?? '')
    expect(next).toBeGreaterThanOrEqual(oldest + 86_400_000 - 1_000)
    expect(next).toBeLessThanOrEqual(Date.now() + 86_400_000 + 1_000)
  }
})
