import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Hex } from '../ports/chains.ts'
import type { Booking, Movement, PositionRow } from '../ports/ledger.ts'
import { defaultAgent } from './positions.ts'
import { postBooking } from './post-booking.ts'

const place = { userId: 1, walletAddress: '0xaa' as Hex, chainId: 1 }
const tokens: Hex[] = ['0x01', '0x02', '0x03']

const movement: fc.Arbitrary<Movement> = fc.record({
  kind: fc.constantFrom('paid', 'received', 'gas', 'deposit', 'withdrawal'),
  token: fc.constantFrom(...tokens),
  quantity: fc.bigInt({ min: 0n, max: 10n ** 24n }),
  valueUsd: fc.bigInt({ min: 0n, max: 10n ** 30n }),
})
const booking = fc
  .record({ agent: fc.constantFrom(defaultAgent, 'momentum'), movements: fc.array(movement, { maxLength: 4 }) })
  .map((fields): Booking => ({ ...place, ...fields, reference: 'r', at: new Date(0), trade: null }))

const signed = ({ kind, quantity }: Movement) => (kind === 'received' || kind === 'deposit' ? quantity : -quantity)
const same = (left: PositionRow, right: PositionRow) => left.agent === right.agent && left.token === right.token
const totalOf = (rows: readonly PositionRow[], token: Hex) =>
  rows.reduce((sum, row) => (row.token === token ? sum + row.quantity : sum), 0n)

test('the lines of a booking sum to nothing, and are what the positions changed by', () => {
  fc.assert(
    fc.property(fc.array(booking, { maxLength: 12 }), (bookings) => {
      let rows: PositionRow[] = []
      for (const one of bookings) {
        const posted = postBooking(one, rows, [])
        const after = [...rows.filter((row) => !posted.rows.some((other) => same(row, other))), ...posted.rows]
        for (const token of tokens) {
          const lines = posted.entries.filter((entry) => entry.token === token)
          expect(lines.reduce((sum, { quantity }) => sum + quantity, 0n)).toBe(0n)
          const held = lines.filter(({ account }) => account.startsWith('holding:'))
          expect(held.reduce((sum, { quantity }) => sum + quantity, 0n)).toBe(
            totalOf(after, token) - totalOf(rows, token),
          )
        }
        expect(after.every(({ quantity, costUsd }) => quantity >= 0n && costUsd >= 0n)).toBe(true)
        rows = after
      }
    }),
  )
})

test('the books hold what the wallet holds to the last unit, and cost less profit is what was put in', () => {
  fc.assert(
    fc.property(fc.array(booking, { maxLength: 30 }), (bookings) => {
      const wallet = new Map<Hex, bigint>(tokens.map((token) => [token, 0n]))
      let rows: PositionRow[] = []
      let putInUsd = 0n
      for (const one of bookings.flatMap((each) => each.movements.map((moved) => ({ ...each, movements: [moved] })))) {
        const [moved] = one.movements
        const held = (wallet.get(moved!.token) ?? 0n) + signed(moved!)
        if (held < 0n) continue // nobody can pay more than the wallet holds
        wallet.set(moved!.token, held)
        const posted = postBooking(one, rows, [])
        const before = bookValue(rows)
        rows = [...rows.filter((row) => !posted.rows.some((other) => same(row, other))), ...posted.rows]
        if (moved!.quantity === 0n || moved!.kind === 'gas') continue
        if (moved!.kind === 'paid') putInUsd -= moved!.valueUsd
        else putInUsd += moved!.kind === 'withdrawal' ? bookValue(rows) - before : moved!.valueUsd
      }
      for (const token of tokens) expect(totalOf(rows, token)).toBe(wallet.get(token))
      expect(bookValue(rows)).toBe(putInUsd)
    }),
  )
})

const bookValue = (rows: readonly PositionRow[]) =>
  rows.reduce((sum, { costUsd, realizedPnlUsd }) => sum + costUsd - realizedPnlUsd, 0n)
