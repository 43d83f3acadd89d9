import { LRUCache } from 'lru-cache'
import type { Address } from 'viem'
import type { Head } from '../../../domain/ports/chains.ts'
import type { Connection } from '../reads/connection.ts'
import { readAll } from '../reads/multicall.ts'
import { type Reading, v2Views, v3Views } from '../reads/views.ts'
import type { Pool } from './pool-book.ts'
import { ticksNear, type V3Pool, wordsAround } from './v3-swap.ts'

/**
 * A pool at one block. `price` is token1 per token0 as a fraction, `price1` / `price0`, in smallest units; of a v2 pool
 * these are its reserves. It is null where the pool has none.
 */
export type PoolState = Pool & { price: { price0: bigint; price1: bigint } | null; v3: V3Pool | null }

/** The most initialized ticks that are read on either side of a price. A swap that passes more is priced by the quoter. */
const mostTicks = 8
const mostRemembered = 5_000
/** Reads in turn for a pool seen for the first time: its price, the words around it, the ticks in them. Later it is one. */
const mostRounds = 3

/** What a v3 pool was like at an earlier block: it says what to read, and nothing else. */
type Remembered = Pick<V3Pool, 'tick' | 'tickSpacing'> & { ticks: readonly number[] }

/** A question about a pool, and where its answer goes. */
type Question = { reading: Reading<unknown>; take(value: unknown): void }

/** A v3 pool while it is read. */
type Draft = Partial<Pick<V3Pool, 'root' | 'liquidity' | 'tick' | 'tickSpacing'>> & {
  pool: Pool
  /** The ticks to read before the words say which there are. */
  expected: readonly number[]
  words: Map<number, bigint>
  nets: Map<number, bigint>
  failed: boolean
}

/** Reads pools at a block, all in one call once they were read before. */
export type PoolStates = (pools: readonly Pool[], block: Head) => Promise<PoolState[]>

/** Creates the reader. It remembers which ticks a pool had, so that these are read with the price. */
export function createPoolStates(connection: Connection): PoolStates {
  const remembered = new LRUCache<Address, Remembered>({ max: mostRemembered })
  return async (pools, block) => {
    const reserves = new Map<Address, readonly bigint[]>()
    const overV2 = pools.filter(({ venue }) => venue === 'uniswap_v2')
    const drafts = pools
      .filter(({ venue }) => venue === 'uniswap_v3')
      .map((pool) => draftOf(pool, remembered.get(pool.address)))
    let questions = [
      ...overV2.map(({ address }) =>
        ask(v2Views.getReserves(address), (found) => reserves.set(address, found === null ? [] : [found[0], found[1]])),
      ),
      ...drafts.flatMap(questionsOf),
    ]
    for (let round = 0; round < mostRounds && questions.length > 0; round += 1) {
      const readings = questions.map(({ reading }) => reading)
      const answers = await readAll(connection, readings, block)
      for (const [index, { take }] of questions.entries()) take(answers[index])
      questions = drafts.flatMap(questionsOf)
    }
    const read = new Map(drafts.map((draft) => [draft.pool.address, draft]))
    return pools.map((pool) => {
      const draft = read.get(pool.address)
      if (draft === undefined) return { ...pool, v3: null, price: priceOf(reserves.get(pool.address) ?? []) }
      const v3 = stateOf(draft)
      if (v3 !== null) {
        const { tick, tickSpacing } = v3
        remembered.set(pool.address, { tick, tickSpacing, ticks: ticksNear(v3, mostTicks) })
      }
      const { root } = draft
      return { ...pool, v3, price: priceOf(root === undefined ? [] : [1n << 192n, root * root]) }
    })
  }
}

function priceOf([price0, price1]: readonly bigint[]): PoolState['price'] {
  return price0 && price1 ? { price0, price1 } : null
}

function draftOf(pool: Pool, earlier: Remembered | undefined): Draft {
  const { ticks: expected = [], ...where } = earlier ?? {}
  return { ...where, pool, expected, words: new Map(), nets: new Map(), failed: false }
}

/** What is not known yet of a pool and can be asked for. */
function questionsOf(draft: Draft): Question[] {
  const { pool, tick, tickSpacing, words, nets } = draft
  if (draft.failed) return []
  const asked = <T>(reading: Reading<T>, take: (value: T) => void) =>
    ask(reading, (value) => {
      if (value === null) draft.failed = true
      else take(value)
    })
  const price =
    draft.root === undefined
      ? [
          asked(v3Views.slot0(pool.address), ([root, at]) => Object.assign(draft, { root, tick: at })),
          asked(v3Views.liquidity(pool.address), (liquidity) => Object.assign(draft, { liquidity })),
        ]
      : []
  if (tick === undefined || tickSpacing === undefined)
    return [
      ...price,
      asked(v3Views.tickSpacing(pool.address), (spacing) => Object.assign(draft, { tickSpacing: spacing })),
    ]
  const near = draft.root === undefined ? draft.expected : ticksNear({ tick, tickSpacing, words }, mostTicks)
  return [
    ...price,
    ...wordsAround(tick, tickSpacing)
      .filter((word) => !words.has(word))
      .map((word) => asked(v3Views.tickBitmap(pool.address, word), (bits) => words.set(word, bits))),
    ...near
      .filter((each) => !nets.has(each))
      .map((each) => asked(v3Views.ticks(pool.address, each), ([, net]) => nets.set(each, net))),
  ]
}

function ask<T>(reading: Reading<T>, take: (value: T | null) => void): Question {
  return { reading, take: (value) => take(value as T | null) }
}

function stateOf({ pool: { feePips }, failed, root, tick, liquidity, tickSpacing, words, nets }: Draft): V3Pool | null {
  if (failed || root === undefined || tick === undefined || liquidity === undefined || tickSpacing === undefined)
    return null
  return { root, tick, liquidity, feePips, tickSpacing, words, nets }
}
