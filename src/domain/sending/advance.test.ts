import { expect, test } from 'vitest'
import { DomainError } from '../core/errors.ts'
import type { Chain } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import type { Attempt, Outgoing, OutgoingState, TransactionChange } from '../ports/outbox.ts'
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
  const working = advance(
    { ports, chain, head, next: 1, halted: false, mostPerGas: null, log: () => undefined },
    legs as never,
  )
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

/** A pending transaction whose node replaces it for at least `least` times its fee, after up to 30 rounds of work. */
async function replacedAt(least: bigint): Promise<Outgoing> {
  const first: Attempt = {
    purpose: 'leg',
    raw: '0x00',
    hash: '0x00',
    fees: { maxFeePerGas: 1_000n, maxPriorityFeePerGas: 10n },
    offeredAt: 1n,
  }
  const fees = new Map([[first.hash as string, first.fees.maxFeePerGas]])
  let held: string = first.hash
  const chain = {
    fees: async () => first.fees,
    knows: async (hash: string) => hash === held,
    broadcast: async (raw: string) => {
      if (raw === held) return
      if (fees.get(raw)! < fees.get(held)! * least)
        throw new DomainError('TRANSACTION_REJECTED', 'no', { metadata: { refusal: 'replacement_underpriced' } })
      held = raw
    },
  } as unknown as Chain
  const signer = {
    sign: async (_: unknown, { maxFeePerGas }: { maxFeePerGas: bigint }) => {
      const raw = `0x0${fees.size}`
      fees.set(raw, maxFeePerGas)
      return { raw, hash: raw }
    },
  }
  const outbox = {
    change: async ([{ transaction, change }]: readonly [TransactionChange]) => {
      const attempts = [...transaction.attempts, ...(change.attempt === undefined ? [] : [change.attempt])].map(
        (one) => (one.hash === change.offered?.hash ? { ...one, offeredAt: change.offered.at } : one),
      )
      return [{ ...transaction, attempts, state: change.move?.to ?? transaction.state }]
    },
  }
  const ports = { outbox, signer } as unknown as Pick<Ports, 'outbox' | 'signer'>
  const usual = { id: 1, nonce: 1, version: 1, kind: 'swap', call: {}, gas: 1n, deadline: null, error: null }
  let leg = { ...usual, outcome: null, state: 'broadcast', attempts: [first] } as unknown as Outgoing
  for (let number = 4n; number < 34n && held === first.hash; number += 1n) {
    const head = { number, hash: '0x', timestamp: 1n } as const
    ;[leg] = (await advance({ ports, chain, head, next: 1, halted: false, mostPerGas: null, log: () => undefined }, [
      leg,
    ])) as [Outgoing]
  }
  return leg
}

test('a node that asks more than an eighth for a replacement is offered more each time, until it takes it', async () => {
  const { attempts } = await replacedAt(2n)
  const offered = attempts.at(-1)!
  expect([offered.fees.maxFeePerGas >= 2_000n, offered.fees.maxFeePerGas < 2_300n, offered.offeredAt]).toEqual([
    true,
    true,
    expect.any(BigInt),
  ])
})

test('what no fee below the ceiling replaces is raised up to the ceiling and no further', async () => {
  const { attempts } = await replacedAt(11n)
  expect(attempts.at(-1)!.fees.maxFeePerGas).toBeGreaterThan(8_000n)
  expect(attempts.at(-1)!.fees.maxFeePerGas).toBeLessThanOrEqual(10_000n)
  expect(attempts.at(-1)!.offeredAt).toBeNull()
})
