import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RouteQuote } from '../ports/chains.ts'
import { bestRoute } from './routing.ts'

const quote = fc.record({ amountOut: fc.bigInt({ min: 1n, max: 20n }), hops: fc.integer({ min: 1, max: 2 }) }).map(
  ({ amountOut, hops }): RouteQuote => ({
    amountOut,
    spotOut: amountOut,
    route: { venue: 'uniswap_v2', tokens: [], feePips: Array(hops).fill(3_000), pools: Array(hops).fill('0x1') },
  }),
)

test('no route yields more than the chosen one, and no equal one passes fewer pools', () => {
  fc.assert(
    fc.property(fc.array(quote, { minLength: 1 }), (quotes) => {
      const best = bestRoute(quotes)
      expect(quotes).toContain(best)
      for (const other of quotes) {
        expect(other.amountOut <= best!.amountOut).toBe(true)
        if (other.amountOut === best!.amountOut) {
          expect(other.route.pools.length).toBeGreaterThanOrEqual(best!.route.pools.length)
        }
      }
    }),
  )
})

test('there is no best of none', () => {
  expect(bestRoute([])).toBeNull()
})
