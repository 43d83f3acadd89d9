import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { type Client, output, type Refusal } from '../clients/client.ts'
import { shared } from '../shared.ts'
import { openWorld, protocols } from '../world.ts'

const newAddress = () => privateKeyToAddress(generatePrivateKey())

test('a caller with an API key has the amount and the wait of its tier, on every protocol', async () => {
  await using world = await openWorld({
    RPC_API_KEYS: 'key-of-a-developer:developer,key-of-a-customer:pro',
    FAUCET_TIERS: 'developer=100/3600',
  })
  const with100 = { amount: '100000000000000000000', waitMs: 3_600_000 }
  const with10 = { amount: '10000000000000000000', waitMs: 86_400_000 }
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
      // Any caller may read it, with another key or none.
      for (const reader of [options, {}]) {
        const received = await output(client.call('chain.faucetClaim', { tx_hash: claim.claimId }, undefined, reader))
        expect(received).toMatchObject({ amount, nextClaimTime: claim.nextClaimTime })
      }
    }
})

test('a key of a tier with its own terms claims ten times as often as an address, and neither stops the other', async () => {
  await using world = await openWorld({
    RPC_API_KEYS: 'key-of-a-developer:developer',
    FAUCET_TIERS: 'developer=1/3600',
    RATE_LIMITS: 'on',
    RATE_RULES: 'faucet=1/86400',
  })
  const claim = (options: object) =>
    world.clients.rest.call('chain.claimFaucet', { address: newAddress() }, undefined, options)
  const key = { headers: { 'x-api-key': 'key-of-a-developer' } }
  for (const [options, ok] of [
    [key, true],
    [{}, true],
    [{}, false],
    ...Array.from({ length: 9 }, () => [key, true] as const),
    [key, false],
  ] as const)
    expect(await claim(options)).toMatchObject({ ok })
})

describe('a client address', () => {
  test('is granted its claims of a day, also after a restart, and learns on every protocol when there are more', async () => {
    const settings = {
      DATABASE_URL: await shared('database'),
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
        // Refused claims do not count.
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
