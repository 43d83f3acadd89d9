import { expect, test } from 'vitest'
import type { Chain } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import type { OutgoingState, TransactionChange } from '../ports/outbox.ts'
import { advance } from './advance.ts'

/** A round over three reserved transactions, with a node and a signer that each fail at one of them. */
function round(failsAt: { signature?: number; broadcast?: number }) {
  const stored: string[] = []
  const legs = [1, 2, 3].map((nonce) => {
    const empty = { attempts: [], error: null, outcome: null, deadline: null, hash: null, uncancellable: null }
    return {
      ...empty,
      id: nonce,
      nonce,
      version: 1,
      state: 'reserved' as OutgoingState,
      kind: 'swap',
      call: {},
      gas: 1n,
    }
  })
  const outbox = {
    change: async (changes: readonly TransactionChange[]) => {
      stored.push(changes.map(({ transaction, change }) => `${transaction.nonce} ${change.move?.to}`).join(', '))
      return changes.map(({ transaction, change: { move, attempt } }) => {
        const attempts = attempt === undefined ? transaction.attempts : [...transaction.attempts, attempt]
        return { ...transaction, attempts, state: move?.to ?? transaction.state }
      })
    },
  }
  const fails = (at: number | undefined, nonce: number) => {
    if (at === nonce) throw new Error(`not ${nonce}`)
  }
  const signer = {
    sign: async (_: unknown, { nonce }: { nonce: number }) => {
      fails(failsAt.signature, nonce)
      return { raw: `0x0${nonce}`, hash: `0x0${nonce}` }
    },
  }
  const chain = {
    fees: async () => ({ maxFeePerGas: 1n, maxPriorityFeePerGas: 1n }),
    broadcast: async (raw: string) => fails(failsAt.broadcast, Number(raw)),
  } as unknown as Chain
  const ports = { outbox, signer } as unknown as Pick<Ports, 'outbox' | 'signer'>
  const head = { number: 1n, hash: '0x', timestamp: 1n } as const
  const working = advance({ ports, chain, head, next: 1, halted: false, log: () => undefined }, legs as never)
  return { working, stored }
}

test('what happens to all transactions is stored at once', async () => {
  const { working, stored } = round({})
  expect((await working).map(({ state }) => state)).toEqual(['broadcast', 'broadcast', 'broadcast'])
  expect(stored).toEqual(['1 signed, 2 signed, 3 signed', '1 broadcast, 2 broadcast, 3 broadcast'])
})

test('signatures before one that fails are stored, and nothing is broadcast', async () => {
  const { working, stored } = round({ signature: 3 })
  await expect(working).rejects.toThrow('not 3')
  expect(stored).toEqual(['1 signed, 2 signed'])
})

test('broadcasts before one that fails are stored', async () => {
  const { working, stored } = round({ broadcast: 2 })
  await expect(working).rejects.toThrow('not 2')
  expect(stored.at(-1)).toBe('1 broadcast')
})
