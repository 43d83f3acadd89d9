import { expect, test } from 'vitest'
import { clockAt } from '../../../test/clock.ts'
import type { Chain } from '../ports/chains.ts'
import type { Outbox, ReserveRequest } from '../ports/outbox.ts'
import type { TradingSettings } from '../ports/trade-policy.ts'
import { cancelGaps } from './cancel-gaps.ts'

const wallet = '0x00000000000000000000000000000000000000a1'

type Counts = { latest: number; pending: number; ours: number[]; most?: bigint | null; dataFee?: bigint }

/** The nonces that are cancelled for an account, by its node's counts and the stored nonces. */
async function cancelled({ latest, pending, ours, most = null, dataFee = 0n }: Counts) {
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
    dataFee: async () => dataFee,
    emptyGas: async () => 33_000n,
  } as unknown as Chain
  const tradingSettings = { maxFeePerGas: most } as TradingSettings
  await cancelGaps({ outbox, clock: clockAt(() => new Date(0)), tradingSettings }, chain, wallet)
  for (const { legs } of asked) expect(legs).toMatchObject([{ kind: 'gap', gas: 33_000n }])
  return asked.map(({ at }) => at)
}

test('An unused nonce below one of ours is cancelled', async () => {
  expect(await cancelled({ latest: 5, pending: 6, ours: [5, 7, 9] })).toEqual([6, 8])
})

test('A nonce of a pending transaction that the owner of the key sent is not cancelled', async () => {
  expect(await cancelled({ latest: 5, pending: 7, ours: [6] })).toEqual([])
})

test('A transaction of ours that the node has lost leaves no gap', async () => {
  expect(await cancelled({ latest: 5, pending: 5, ours: [5, 6] })).toEqual([])
})

test('No gap is cancelled while a block takes more for gas than the gateway pays', async () => {
  const counts = { latest: 5, pending: 6, ours: [5, 7] }
  expect(await cancelled({ ...counts, most: 4n })).toEqual([])
  expect(await cancelled({ ...counts, most: 5n })).toEqual([6])
})

test('No gap is cancelled that the account cannot pay for, the data of a rollup included', async () => {
  const counts = { latest: 5, pending: 6, ours: [5, 7, 9] }
  expect(await cancelled({ ...counts, dataFee: 10n ** 18n })).toEqual([])
  expect(await cancelled({ ...counts, dataFee: 10n ** 18n / 2n })).toEqual([6])
})
