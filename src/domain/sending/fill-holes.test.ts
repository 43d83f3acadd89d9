import { expect, test } from 'vitest'
import type { Chain } from '../ports/chains.ts'
import type { Outbox, ReserveRequest } from '../ports/outbox.ts'
import { fillHoles } from './fill-holes.ts'

const wallet = '0x00000000000000000000000000000000000000a1'

/** The nonces that are filled for an account by what its node says and what is stored. */
async function filled({ latest, pending, ours }: { latest: number; pending: number; ours: number[] }) {
  const asked: ReserveRequest[] = []
  const outbox = {
    takenNonces: async (_chain: number, _from: string, floor: number) => ours.filter((nonce) => nonce >= floor),
    reserve: async (request: ReserveRequest) => {
      asked.push(request)
      return []
    },
  } as unknown as Outbox
  const chain = {
    info: { id: 1 },
    nonce: async (_from: string, at: string) => (at === 'pending' ? pending : latest),
    balances: async () => ({ native: 10n ** 18n, tokens: [] }),
    fees: async () => ({ maxFeePerGas: 10n, maxPriorityFeePerGas: 1n }),
    emptyGas: async () => 33_000n,
  } as unknown as Chain
  await fillHoles({ outbox, clock: { now: () => new Date(0) } }, chain, wallet)
  for (const { legs } of asked) expect(legs).toMatchObject([{ kind: 'gap', gas: 33_000n }])
  return asked.map(({ at }) => at)
}

test('A nonce below one of ours that nobody uses is filled', async () => {
  expect(await filled({ latest: 5, pending: 6, ours: [5, 7, 9] })).toEqual([6, 8])
})

test('A nonce that waits at the node, sent by the owner of the key, is left to that transaction', async () => {
  expect(await filled({ latest: 5, pending: 7, ours: [6] })).toEqual([])
})

test('What the node has lost of ours is no hole', async () => {
  expect(await filled({ latest: 5, pending: 5, ours: [5, 6] })).toEqual([])
})
