import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Hex } from '../ports/chains.ts'
import type { PositionRow } from '../ports/ledger.ts'
import { defaultAgent, openBook } from './positions.ts'

const place = { userId: 1, walletAddress: '0xaa' as Hex, chainId: 1 }
const at = new Date('2026-03-01T00:00:00.000Z')
const tokens: Hex[] = ['0x01', '0x02']
const agents = [defaultAgent, 'momentum']

const amount = fc.record({
  token: fc.constantFrom(...tokens),
  quantity: fc.bigInt({ min: 1n, max: 10n ** 24n }),
  valueUsd: fc.bigInt({ min: 0n, max: 10n ** 30n }),
})
const posting = fc.record({ kind: fc.constantFrom('deposit', 'sell'), agent: fc.constantFrom(...agents), amount })

const find = (rows: PositionRow[], agent: string, token: Hex) =>
  rows.find((row) => row.agent === agent && row.token === token)

describe('the positions of a wallet', () => {
  test('what another agent lacks moves over from the default agent at its average cost', () => {
    const book = openBook(place, [], at)
    book.deposit(defaultAgent, { token: '0x01', quantity: 10n, valueUsd: 1_000n }, 'outside')
    const profit = book.sell('momentum', { token: '0x01', quantity: 4n, valueUsd: 480n }, 480n, 'market')
    expect(profit).toEqual({ basis: { quantity: 4n, costUsd: 400n }, valueUsd: 480n, profitUsd: 80n })
    expect(find(book.rows(), defaultAgent, '0x01')).toMatchObject({ quantity: 6n, costUsd: 600n, realizedPnlUsd: 0n })
    expect(find(book.rows(), 'momentum', '0x01')).toMatchObject({ quantity: 0n, costUsd: 0n, realizedPnlUsd: 80n })
  })

  test('what the books never saw counts as a deposit at its present worth', () => {
    const book = openBook(place, [], at)
    expect(book.sell(defaultAgent, { token: '0x01', quantity: 4n, valueUsd: 400n }, 390n, 'market').profitUsd).toBe(
      -10n,
    )
  })

  test('a fee paid in the native currency is a loss of its average cost', () => {
    const book = openBook(place, [], at)
    book.deposit(defaultAgent, { token: '0x02', quantity: 100n, valueUsd: 200n }, 'outside')
    expect(book.sell(defaultAgent, { token: '0x02', quantity: 10n, valueUsd: 30n }, 0n, 'gas').profitUsd).toBe(-20n)
  })

  test('no quantity is below zero, and cost less realised profit is the cash that went in', () => {
    fc.assert(
      fc.property(fc.array(posting, { maxLength: 25 }), (postings) => {
        let rows: PositionRow[] = []
        let cash = 0n
        for (const { kind, agent, amount } of postings) {
          const book = openBook(place, rows, at)
          if (kind === 'deposit') {
            book.deposit(agent, amount, 'outside')
            cash += amount.valueUsd
          } else {
            const held = rows.filter((row) => row.token === amount.token)
            const unseen = amount.quantity - held.reduce((sum, row) => sum + row.quantity, 0n)
            book.sell(agent, amount, amount.valueUsd, 'market')
            if (unseen > 0n) cash += (amount.valueUsd * unseen) / amount.quantity
            cash -= amount.valueUsd
          }
          rows = book.rows()
          expect(rows.every((row) => row.quantity >= 0n && row.costUsd >= 0n)).toBe(true)
        }
        const kept = rows.reduce((sum, row) => sum + row.costUsd - row.realizedPnlUsd, 0n)
        expect(kept).toBe(cash)
      }),
    )
  })
})
