import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { acquire, dispose, type Holding, nothing, transfer, unrealized } from './average-cost.ts'

const amount = fc.bigInt({ min: 0n, max: 10n ** 40n })
const step = fc.oneof(
  fc.record({ kind: fc.constant('buy' as const), quantity: amount, usd: amount }),
  fc.record({ kind: fc.constant('sell' as const), share: fc.integer({ min: 0, max: 1_000 }), usd: amount }),
)

describe('average cost', () => {
  test('a sale realises the difference to the average', () => {
    const bought = acquire(acquire(nothing, 2n, 200n), 2n, 600n)
    expect(dispose(bought, 1n, 250n)).toEqual({ quantity: 3n, costUsd: 600n, realizedPnlUsd: 50n })
  })

  test('profit in all is what came in less what went out, whatever happens in between', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), amount, (steps, marketValue) => {
        let holding: Holding = nothing
        let cash = 0n
        for (const next of steps) {
          if (next.kind === 'buy') {
            holding = acquire(holding, next.quantity, next.usd)
            cash -= next.usd
          } else {
            holding = dispose(holding, (holding.quantity * BigInt(next.share)) / 1_000n, next.usd)
            cash += next.usd
          }
          expect(holding.quantity >= 0n && holding.costUsd >= 0n).toBe(true)
        }
        expect(holding.realizedPnlUsd + unrealized(holding, marketValue)).toBe(cash + marketValue)
      }),
    )
  })

  test('a transfer keeps quantity, cost and realised profit in all', () => {
    fc.assert(
      fc.property(amount, amount, amount, amount, fc.integer({ min: 0, max: 1_000 }), (a, b, c, d, share) => {
        const from = acquire(nothing, a, b)
        const to = acquire(nothing, c, d)
        const moved = transfer(from, to, (a * BigInt(share)) / 1_000n)
        expect(moved.from.quantity + moved.to.quantity).toBe(a + c)
        expect(moved.from.costUsd + moved.to.costUsd).toBe(b + d)
        expect(moved.from.realizedPnlUsd + moved.to.realizedPnlUsd).toBe(0n)
      }),
    )
  })

  test('what is sold out leaves no cost behind', () => {
    const sold = dispose(acquire(nothing, 3n, 100n), 3n, 0n)
    expect(sold).toEqual({ quantity: 0n, costUsd: 0n, realizedPnlUsd: -100n })
  })

  test('more than is held cannot leave', () => {
    expect(() => dispose(acquire(nothing, 1n, 1n), 2n, 5n)).toThrow('only what is held')
  })
})
