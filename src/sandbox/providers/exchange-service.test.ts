import { expect, test } from 'vitest'
import { exchangeService } from './exchange-service.ts'

test('the event loop gets turns while many long candles are computed', async () => {
  const now = 1_790_000_000_000
  const service = exchangeService({ start: now - 14 * 86_400_000, swaps: async () => [], now: () => now })
  const query = new URLSearchParams({ symbol: 'ETHUSDC', interval: '15m', limit: '1000' })
  let isDone = false
  const computing = service.respond({ method: 'GET', path: '/api/v3/klines', query, body: '' }).then((reply) => {
    isDone = true
    return reply
  })
  let turns = 0
  for (; !isDone; turns += 1) await new Promise((resolve) => setImmediate(resolve))
  expect(await computing).toMatchObject({ json: { length: 1_000 } })
  expect(turns).toBeGreaterThan(30)
  service.close()
})
