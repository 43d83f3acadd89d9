import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RouteQuote } from '../ports/chains.ts'
import { bestRoute } from './routing.ts'

const quote = fc.record({ amountOut: fc.bigInt({ min: 1n, max: 20n }), hops: fc.integer({ min: 1, max: 2 }) }).map(
  ({ amountOut, hops }): RouteQuote => ({
    amountOut,
    spotOut: amountOut,
    gas: 100_000n * BigInt(hops),
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

test('gas counts: a route that yields a little more for much more gas is not the best', () => {
  const route = { venue: 'uniswap_v3', tokens: [], feePips: [], pools: [] } as const
  const short = { route, amountOut: 100n, spotOut: 100n, gas: 150_000n }
  const long = { route, amountOut: 102n, spotOut: 102n, gas: 290_000n }
  expect(bestRoute([long, short])).toBe(long)
  expect(bestRoute([long, short], { perGas: 1n, scale: 100_000n })).toBe(long)
  expect(bestRoute([long, short], { perGas: 2n, scale: 100_000n })).toBe(short)
})

test('without routes there is no best one', () => {
  expect(bestRoute([])).toBeNull()
})
