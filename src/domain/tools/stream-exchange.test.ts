import { expect, test } from 'vitest'
import { clockAt } from '../../../test/clock.ts'
import { streamExchange } from './stream-exchange.ts'

test('a subscription that is ended before the first reading ends its stream', async () => {
  const subscription = { id: 's', userId: 1, symbol: 'ETHUSDC', streams: ['ticker'], interval: '1m' }
  const isThere = [true, false]
  let listeners = 0
  const marketSubscriptions = {
    find: async () => (isThere.shift() ? subscription : null),
    onRemoved() {
      listeners += 1
      return () => {
        listeners -= 1
      }
    },
  }
  const exchange = {
    source: 'exchange (test)',
    async *follow() {
      await new Promise(() => undefined)
    },
  }
  const ports = { marketSubscriptions, exchange, clock: clockAt(() => new Date()) }
  const call = { principal: { userId: 1 }, signal: new AbortController().signal, nameStream: () => undefined }
  const events = await streamExchange(ports as never, { subscription_id: 's' } as never, call as never)
  expect(await Array.fromAsync(events)).toEqual([])
  expect(listeners).toBe(0)
})
