import { expect, test } from 'vitest'
import type { Chain, Hex } from '../ports/chains.ts'
import type { ConfirmingBlock, Outbox, Outgoing, OutgoingChange, TransactionChange } from '../ports/outbox.ts'
import { confirm } from './confirm.ts'

/** An outbox that holds these transactions. */
function holding(transactions: readonly Outgoing[]): Pick<Outbox, 'confirming' | 'confirmingBlocks'> {
  const blockOf = ({ blockNumber, blockHash, state }: Outgoing) =>
    ({ number: blockNumber, hash: blockHash, state }) as ConfirmingBlock
  return {
    confirmingBlocks: async () => transactions.map(blockOf),
    confirming: async (_, { number, state }) =>
      transactions.filter((one) => one.blockNumber === number && one.state === state),
  }
}

test('a final block above the safe one makes nothing final that is not safe', async () => {
  const mined = (id: number, state: string, blockNumber: bigint) =>
    ({ id, state, blockNumber, blockHash: '0xb1', from: '0xaa' }) as unknown as Outgoing
  const moves: unknown[] = []
  const outbox = {
    ...holding([mined(1, 'included', 11n), mined(2, 'safe', 5n), mined(3, 'included', 6n)]),
    change: async (changes: readonly TransactionChange[]) =>
      changes.map(({ transaction, change }) => {
        moves.push([transaction.id, change.move?.to])
        return { ...transaction, state: change.move?.to ?? transaction.state }
      }),
  } as unknown as Outbox
  const finality = async () => ({ safe: 8n, finalized: 38n })
  const node = { info: { id: 1 }, finality, blockHash: async () => '0xb1' } as unknown as Chain
  expect(await confirm({ outbox }, node, null)).toBe(true)
  expect(moves).toEqual([
    [2, 'finalized'],
    [3, 'safe'],
    [3, 'finalized'],
  ])
})

/** The moves of a transaction mined in block 11, on a chain of these block hashes whose block 2 is safe. */
async function confirmed(leg: { hash: Hex }, chain: Record<number, Hex>, confirmedTo: { number: bigint; hash: Hex }) {
  const moves: OutgoingChange[] = []
  const included = { id: 1, version: 1, state: 'included', blockNumber: 11n, blockHash: leg.hash } as Outgoing
  const outbox = {
    ...holding([included]),
    change: async (changes: readonly TransactionChange[]) => {
      moves.push(...changes.map(({ change }) => change))
      return changes.map(({ transaction }) => transaction)
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
  const complete = await confirm({ outbox }, node, confirmedTo)
  return { complete, moves: moves.map(({ move }) => move?.to), reads }
}

test('A block newer than the last run that left the chain is noticed at the next run', async () => {
  const { moves } = await confirmed({ hash: '0xb1' }, { 10: '0xa0', 11: '0xc1' }, { number: 10n, hash: '0xa0' })
  expect(moves).toEqual(['reorganised'])
})

test('A newer block that is gone without a successor makes the next run read every block again', async () => {
  const { complete, moves } = await confirmed({ hash: '0xb1' }, { 10: '0xa0' }, { number: 10n, hash: '0xa0' })
  expect({ complete, moves }).toEqual({ complete: false, moves: [] })
})

test('A block below a head that the chain still holds is not read again', async () => {
  const { moves, reads } = await confirmed({ hash: '0xb1' }, { 11: '0xb1', 12: '0xa2' }, { number: 12n, hash: '0xa2' })
  expect({ moves, reads }).toEqual({ moves: [], reads: [12n] })
})

test('A block below a head that left the chain is read again', async () => {
  const { moves } = await confirmed({ hash: '0xb1' }, { 11: '0xc1', 12: '0xc2' }, { number: 12n, hash: '0xa2' })
  expect(moves).toEqual(['reorganised'])
})
