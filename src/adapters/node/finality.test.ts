import { expect, test } from 'vitest'
import { finalityReader } from './finality.ts'

type State = { head: number; safe: number | null; finalized: number | null }

/** What is safe and finalized at each of these states of a node, for one reader. Null is a tag that it does not know. */
async function readings(states: readonly State[], { depths = [32n, 128n], blockSeconds = 12 } = {}) {
  let state = states[0]!
  const hex = (number: number) => `0x${number.toString(16)}`
  const [safe, finalized] = depths as [bigint, bigint]
  const read = async (method: string, [tag]: readonly unknown[]) => {
    if (method === 'eth_blockNumber') return hex(state.head)
    const number = state[tag as 'safe' | 'finalized']
    if (number === null) throw Object.assign(new Error('unknown block'), { code: -32_000 })
    return { number: hex(number) }
  }
  const head = async () => BigInt(state.head)
  const reader = finalityReader({ read, head, depths: { safe, finalized }, blockSeconds })
  const found: [number, number][] = []
  for (state of states) {
    const now = await reader()
    found.push([Number(now.safe), Number(now.finalized)])
  }
  return found
}

test('tags that move are believed, also while the chain finalizes nothing for long', async () => {
  expect(await readings([{ head: 1_000, safe: 968, finalized: 936 }])).toEqual([[968, 936]])
  expect(await readings([{ head: 1_000, safe: 999, finalized: 998 }])).toEqual([[999, 998]])
  const moved = { head: 1_032, safe: 1_000, finalized: 968 }
  const silent = { ...moved, head: 50_000 }
  expect(await readings([{ head: 1_000, safe: 968, finalized: 936 }, moved, silent])).toEqual([
    [968, 936],
    [1_000, 968],
    [1_000, 968],
  ])
})

test('the depth of the table counts where the node does not know the tags', async () => {
  const states = [{ head: 1_000, safe: null, finalized: null }]
  expect(await readings(states)).toEqual([[968, 872]])
  expect(await readings(states, { depths: [3n, 10n] })).toEqual([[997, 990]])
  expect(await readings([{ head: 5, safe: null, finalized: null }])).toEqual([[0, 0]])
})

test('the depth counts where the tags name the newest block, and where they stay at block 0', async () => {
  expect(await readings([{ head: 1_000, safe: 1_000, finalized: 1_000 }])).toEqual([[968, 872]])
  expect(await readings([{ head: 1_000, safe: 1_000, finalized: 1_000 }], { depths: [0n, 0n] })).toEqual([
    [1_000, 1_000],
  ])
  expect(await readings([{ head: 100, safe: 0, finalized: 0 }])).toEqual([[68, 0]])
  expect(await readings([{ head: 129, safe: 0, finalized: 0 }])).toEqual([[97, 1]])
})

test('the depth counts where a tag has stayed at one block for longer than the depth and an hour', async () => {
  const at = (head: number) => ({ head, safe: 900, finalized: 900 })
  // 128 blocks of 2 seconds are less than a rollup needs to finalize the next ones.
  expect(await readings([at(1_000), at(1_200), at(2_800)], { blockSeconds: 2 })).toEqual([
    [900, 900],
    [900, 900],
    [900, 900],
  ])
  expect(await readings([at(1_000), at(2_801)], { blockSeconds: 2 })).toEqual([
    [900, 900],
    [2_769, 2_673],
  ])
})

test('what is finalized is safe, also where the depth counts for one of both', async () => {
  expect(await readings([{ head: 1_000, safe: null, finalized: 990 }])).toEqual([[990, 990]])
})
