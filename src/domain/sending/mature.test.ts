import { expect, test } from 'vitest'
import type { Chain, Hex } from '../ports/chains.ts'
import type { Outbox, Outgoing, OutgoingChange } from '../ports/outbox.ts'
import { mature } from './mature.ts'

/** What becomes of a transaction that was read in block 11, on a chain that holds these hashes and is firm to block 2. */
async function ripen(leg: { hash: Hex }, chain: Record<number, Hex>, seen: { number: bigint; hash: Hex }) {
  const moves: OutgoingChange[] = []
  const included = { id: 1, version: 1, state: 'included', blockNumber: 11n, blockHash: leg.hash } as Outgoing
  const outbox = {
    maturing: async () => [included],
    change: async (present: Outgoing, change: OutgoingChange) => {
      moves.push(change)
      return present
    },
  } as unknown as Outbox
  const reads: bigint[] = []
  const node = {
    info: { id: 1 },
    finality: async () => ({ safe: 2n, finalized: 1n }),
    blockHash: async (number: bigint) => {
      reads.push(number)
      return chain[Number(number)] ?? null
    },
  } as unknown as Chain
  const complete = await mature({ outbox }, node, seen)
  return { complete, moves: moves.map(({ move }) => move?.to), reads }
}

test('A block that came after the last look and left the chain is noticed at the next one', async () => {
  const { moves } = await ripen({ hash: '0xb1' }, { 10: '0xa0', 11: '0xc1' }, { number: 10n, hash: '0xa0' })
  expect(moves).toEqual(['reorganised'])
})

test('A block that came after the last look and is gone without another makes the next look read all again', async () => {
  const { complete, moves } = await ripen({ hash: '0xb1' }, { 10: '0xa0' }, { number: 10n, hash: '0xa0' })
  expect({ complete, moves }).toEqual({ complete: false, moves: [] })
})

test('A block below a head that the chain still holds is not read again', async () => {
  const { moves, reads } = await ripen({ hash: '0xb1' }, { 11: '0xb1', 12: '0xa2' }, { number: 12n, hash: '0xa2' })
  expect({ moves, reads }).toEqual({ moves: [], reads: [12n] })
})

test('A block below a head that left the chain is read again', async () => {
  const { moves } = await ripen({ hash: '0xb1' }, { 11: '0xc1', 12: '0xc2' }, { number: 12n, hash: '0xa2' })
  expect(moves).toEqual(['reorganised'])
})
