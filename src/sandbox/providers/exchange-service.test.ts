import { expect, test } from 'vitest'
import { exchangeService } from './exchange-service.ts'

test('others have their turn while many long candles are drawn', async () => {
  const now = 1_790_000_000_000
  const service = exchangeService({ start: now - 14 * 86_400_000, swaps: async () => [], now: () => now })
  const query = new URLSearchParams({ symbol: 'ETHUSDC', interval: '15m', limit: '1000' })
  let isDrawn = false
  const drawing = service.answer({ method: 'GET', path: '/api/v3/klines', query, body: '' }).then((reply) => {
    isDrawn = true
    return reply
  })
  let turns = 0
  for (; !isDrawn; turns += 1) await new Promise((resolve) => setImmediate(resolve))
  expect(await drawing).toMatchObject({ json: { length: 1_000 } })
  expect(turns).toBeGreaterThan(30)
  service.close()
})
