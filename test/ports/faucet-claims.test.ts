import { expect, test } from 'vitest'
import { openFaucetClaims } from '../../src/adapters/storage/node/faucet-claims.ts'
import type { Hex } from '../../src/domain/ports/chains.ts'
import type { FaucetRules } from '../../src/domain/ports/faucet.ts'
import { eachDatabase } from './databases.ts'
import { at } from './rows.ts'

const unit = 10n ** 18n
const hour = 3_600_000
const later = (ms: number) => new Date(at.getTime() + ms)
const addressOf = (number: number): Hex => `0x${number.toString(16).padStart(40, 'A')}`
const limits: FaucetRules = {
  amount: 10n * unit,
  cooldownMs: 24 * hour,
  tiers: {},
  perCaller: null,
  dailyCap: 10_000n * unit,
}
const claimOf = (address: Hex, createdAt = at) => ({
  id: crypto.randomUUID(),
  chainId: 1,
  address,
  amount: 10n * unit,
  cooldownMs: 7 * hour,
  createdAt,
})

eachDatabase('the claims of the faucet', (open) => {
  test('a hundred at once for one address are one, in two processes and in any spelling', async () => {
    const stores = [openFaucetClaims(await open()), openFaucetClaims(await open())]
    const asked = Array.from({ length: 100 }, (_, index) =>
      claimOf((index % 2 === 0 ? addressOf(1) : addressOf(1).toLowerCase()) as Hex),
    )
    const refusals = await Promise.all(asked.map((one, index) => stores[index % 2]!.begin(one, 'me', limits)))
    expect(refusals.filter((refusal) => refusal === null)).toHaveLength(1)
    const paid = asked[refusals.indexOf(null)]!
    expect(new Set(refusals.filter((refusal) => refusal !== null).map((one) => JSON.stringify(one)))).toEqual(
      new Set([JSON.stringify({ limit: 'address', until: later(24 * hour) })]),
    )
    expect(await stores[0]!.queued(1)).toEqual([paid])
    expect(await stores[0]!.queued(2)).toEqual([])
    expect(await stores[1]!.begin(claimOf(addressOf(1), later(24 * hour - 1)), 'me', limits)).not.toBeNull()
    expect(await stores[1]!.begin(claimOf(addressOf(1), later(24 * hour)), 'me', limits)).toBeNull()
  })

  test('a day never pays more than its cap for concurrent claims, and begins at midnight UTC', async () => {
    const stores = [openFaucetClaims(await open()), openFaucetClaims(await open())]
    const capped = { ...limits, dailyCap: 75n * unit }
    const asked = Array.from({ length: 40 }, (_, index) => claimOf(addressOf(index)))
    const refusals = await Promise.all(asked.map((one, index) => stores[index % 2]!.begin(one, 'me', capped)))
    expect(refusals.filter((refusal) => refusal === null)).toHaveLength(7)
    expect(refusals.find((refusal) => refusal !== null)).toEqual({ limit: 'cap', until: new Date('2026-03-02') })
    const tomorrow = new Date('2026-03-02T00:00:00.000Z')
    expect(await stores[0]!.begin(claimOf(addressOf(50), tomorrow), 'me', capped)).toBeNull()
  })

  test('a payment that was not made gives its place and its money back, once', async () => {
    const store = openFaucetClaims(await open())
    const capped = { ...limits, dailyCap: 20n * unit }
    const [first, second] = [claimOf(addressOf(1)), claimOf(addressOf(2))]
    for (const claim of [first, second]) expect(await store.begin(claim, 'me', capped)).toBeNull()
    expect(await store.begin(claimOf(addressOf(3)), 'me', capped)).toMatchObject({ limit: 'cap' })
    expect(await store.check(claimOf(addressOf(3)), 'me', capped)).toMatchObject({ limit: 'cap' })
    const unpaid = { paid: false, hash: null }
    await Promise.all([store.end(first.id, unpaid), store.end(first.id, unpaid)])
    await store.markSent(first.id)
    expect(await store.find(first.id)).toEqual({ ...first, state: 'failed', hash: null })
    await store.markSent(second.id)
    expect(await store.check(claimOf(addressOf(1), later(1)), 'me', capped)).toBeNull()
    expect(await store.check(claimOf(addressOf(2), later(1)), 'me', capped)).toMatchObject({ limit: 'address' })
    expect(await store.find(second.id)).toEqual({ ...second, state: 'sent', hash: null })
    expect(await store.queued(1)).toEqual([])
    expect(await store.begin(claimOf(addressOf(1), later(1)), 'me', capped)).toBeNull()
    expect(await store.begin(claimOf(addressOf(3)), 'me', capped)).toMatchObject({ limit: 'cap' })
    expect(await store.find(crypto.randomUUID())).toBeNull()
  })

  test('a claim that ended keeps the hash of its transaction, and counts where that paid', async () => {
    const store = openFaucetClaims(await open())
    const claim = claimOf(addressOf(1))
    expect(await store.begin(claim, 'me', limits)).toBeNull()
    expect(await store.findByHash('0xaB')).toBeNull()
    await store.markSent(claim.id)
    await store.end(claim.id, { paid: true, hash: '0xAb' })
    expect(await store.findByHash('0xaB')).toEqual({ ...claim, state: 'sent', hash: '0xab' })
    expect(await store.find(claim.id)).toEqual(await store.findByHash('0xab'))
    expect(await store.check(claimOf(addressOf(1), later(1)), 'me', limits)).toMatchObject({ limit: 'address' })
  })

  test('a caller is granted so many claims in any window, also after a restart; others do not count', async () => {
    const limited = { ...limits, perCaller: { claims: 3, windowMs: hour } }
    const store = openFaucetClaims(await open())
    expect(await store.begin(claimOf(addressOf(1)), 'me', limited)).toBeNull()
    for (let again = 1; again <= 5; again += 1)
      expect(await store.begin(claimOf(addressOf(1), later(1)), 'me', limited)).toMatchObject({ limit: 'address' })
    const unpaid = claimOf(addressOf(4), later(1))
    expect(await store.begin(unpaid, 'me', limited)).toBeNull()
    await store.end(unpaid.id, { paid: false, hash: null })
    for (const other of [2, 5]) expect(await store.begin(claimOf(addressOf(other), later(2)), 'me', limited)).toBeNull()
    const restarted = openFaucetClaims(await open.restart())
    const fourth = (ms: number, who: string) => restarted.begin(claimOf(addressOf(3), later(ms)), who, limited)
    expect(await fourth(3, 'me')).toEqual({ limit: 'caller', until: later(hour) })
    expect(await fourth(hour - 1, 'me')).toEqual({ limit: 'caller', until: later(hour) })
    expect(await fourth(hour, 'me')).toBeNull()
    expect(await fourth(hour, 'you')).toMatchObject({ limit: 'address' })
  })
})
