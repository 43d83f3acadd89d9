import { expect, test } from 'vitest'
import { openMarketSubscriptions } from '../../src/adapters/storage/accounts/market-subscriptions.ts'
import type { MarketSubscription } from '../../src/domain/ports/market.ts'
import { eachDatabase } from './databases.ts'
import { addAccount, at } from './rows.ts'

const subscriptionOf = (userId: number): MarketSubscription => ({
  id: crypto.randomUUID(),
  userId,
  symbol: 'ETHUSDC',
  streams: ['trade', 'kline'],
  interval: '1m',
  createdAt: at,
})

eachDatabase('market subscriptions', (open) => {
  test("outlive a restart, are their owner's alone, and are gone once ended", async () => {
    const database = await open()
    const [owner, stranger] = [await addAccount(database), await addAccount(database, 2)]
    const subscription = subscriptionOf(owner)
    expect(await openMarketSubscriptions(database).create(subscription, 20)).toBe(true)
    const again = openMarketSubscriptions(await open.restart())
    expect(await again.find(owner, subscription.id)).toEqual(subscription)
    expect(await again.find(stranger, subscription.id)).toBeNull()
    expect(await again.remove(stranger, subscription.id)).toBe(false)
    expect(await again.remove(owner, subscription.id)).toBe(true)
    expect(await again.remove(owner, subscription.id)).toBe(false)
  })

  test('are counted exactly for concurrent requests', async () => {
    const database = await open()
    const owner = await addAccount(database)
    const subscriptions = openMarketSubscriptions(database)
    const made = await Promise.all(Array.from({ length: 8 }, () => subscriptions.create(subscriptionOf(owner), 3)))
    expect(made.filter(Boolean)).toHaveLength(3)
  })

  test('notify their readers when they end, by this or another process', async () => {
    const [one, other] = [openMarketSubscriptions(await open(), 20), openMarketSubscriptions(await open(), 20)]
    const owner = await addAccount(await open())
    const subscription = subscriptionOf(owner)
    await one.create(subscription, 20)
    const heard = Promise.all(
      [one, other].map((each) => new Promise<void>((done) => each.onRemoved(subscription.id, done))),
    )
    expect(await other.remove(owner, subscription.id)).toBe(true)
    await heard
  })
})
