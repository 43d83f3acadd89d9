import { expect, test } from 'vitest'
import { DomainError } from '../core/errors.ts'
import type { Chain, Hex } from '../ports/chains.ts'
import type { PositionRow } from '../ports/ledger.ts'
import { createSnapshots } from './snapshots.ts'

const one = 10n ** 18n
const tokens = [
  { symbol: 'ETHX', address: '0x01', decimals: 18, usdFeed: 'ETH/USD' },
  { symbol: 'RUG', address: '0x02', decimals: 18, usdFeed: null },
  { symbol: 'OLD', address: '0x03', decimals: 18, usdFeed: 'OLD/USD' },
]

/** A chain where one ETHX is worth 2 dollars, RUG has no feed, and the feed of OLD does not answer. */
const chain = {
  info: { id: 1, tokens },
  head: async () => ({ number: 1n, hash: '0x01', timestamp: 1_000n }),
  price: async (pair: string) => {
    if (pair !== 'ETH/USD') throw new DomainError('UNAVAILABLE', 'The node does not respond.')
    return { answer: 2n, decimals: 0, updatedAt: new Date(1_000_000), heartbeatSeconds: 60 }
  },
} as unknown as Chain

const held = (userId: number, token: Hex, chainId = 1): PositionRow =>
  ({ userId, chainId, token, quantity: one, costUsd: one, realizedPnlUsd: 0n }) as PositionRow

test('an account is valued without tokens that have no feed, and left out where a price is missing', async () => {
  const rows = [held(1, '0x01'), held(1, '0x02'), held(2, '0x01'), held(2, '0x03'), held(3, '0x01', 9), held(4, '0x01')]
  const saved: [number, bigint][] = []
  let now = 1_000_000
  const snapshots = createSnapshots({
    chains: { all: [chain], default: chain, find: (id: number) => (id === 1 ? chain : null) },
    clock: { now: () => new Date(now) },
    ledger: {
      allPositions: async (after: number) => rows.filter(({ userId }) => userId > after).slice(0, 4),
      saveSnapshots: async (_at: Date, values: ReadonlyMap<number, bigint>) => void saved.push(...values),
    },
  } as unknown as Parameters<typeof createSnapshots>[0])
  await snapshots()
  expect(saved).toEqual([
    [1, one],
    [4, one],
  ])
  await snapshots()
  expect(saved).toHaveLength(2)
  now += 300_000
  await snapshots()
  expect(saved).toHaveLength(4)
})
