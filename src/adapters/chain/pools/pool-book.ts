import { type Address, zeroAddress } from 'viem'
import { type Head, sameAddress } from '../../../domain/ports/chains.ts'
import type { Connection } from '../reads/connection.ts'
import { readAll } from '../reads/multicall.ts'
import { v2Views, v3Views } from '../reads/views.ts'

/** A pool of two tokens; `token0` is the lower address, as the pools themselves order them. */
export type Pool = {
  venue: 'uniswap_v2' | 'uniswap_v3'
  address: Address
  token0: Address
  token1: Address
  /** Hundredths of a basis point. */
  feePips: number
}

export type PoolBook = {
  /** The pools that exist for any of the pairs. */
  find(pairs: readonly (readonly [Address, Address])[], block: Head): Promise<Pool[]>
}

/** Blocks after which a missing pool is looked up again. */
const recheckBlocks = 30n
const mostRemembered = 5_000
const v2FeePips = 3_000

/** Caches which pools exist. Addresses never change; a missing pool may be created. */
export function createPoolBook(connection: Connection): PoolBook {
  const known = new Map<string, Pool | { absentAt: bigint }>()
  const { uniswap_v2: v2, uniswap_v3: v3 } = connection.deployment

  function candidates([left, right]: readonly [Address, Address]): Pool[] {
    const [token0, token1] = left.toLowerCase() < right.toLowerCase() ? [left, right] : [right, left]
    const pair = { token0, token1, address: zeroAddress }
    return [
      { ...pair, venue: 'uniswap_v2', feePips: v2FeePips },
      ...v3.fee_tiers.map((feePips) => ({ ...pair, venue: 'uniswap_v3' as const, feePips })),
    ]
  }

  function lookup({ venue, token0, token1, feePips }: Pool) {
    return venue === 'uniswap_v2'
      ? v2Views.getPair(v2.factory, token0, token1)
      : v3Views.getPool(v3.factory, token0, token1, feePips)
  }

  return {
    async find(pairs, block) {
      const wanted = new Map(
        pairs
          .filter(([a, b]) => !sameAddress(a, b))
          .flatMap(candidates)
          .map((pool) => [keyOf(pool), pool]),
      )
      const open = [...wanted.entries()].filter(([key]) => {
        const entry = known.get(key)
        return entry === undefined || ('absentAt' in entry && block.number >= entry.absentAt + recheckBlocks)
      })
      if (known.size > mostRemembered) known.clear()
      const addresses = await readAll(
        connection,
        open.map(([, pool]) => lookup(pool)),
        block,
      )
      for (const [index, [key, pool]] of open.entries()) {
        const address = addresses[index] ?? zeroAddress
        if (address !== zeroAddress) connection.joint?.addPool(address)
        known.set(key, address === zeroAddress ? { absentAt: block.number } : { ...pool, address })
      }
      return [...wanted.keys()].flatMap((key) => {
        const entry = known.get(key)
        return entry === undefined || 'absentAt' in entry ? [] : [entry]
      })
    },
  }
}

function keyOf({ venue, token0, token1, feePips }: Pool): string {
  return `${venue}:${feePips}:${token0}:${token1}`.toLowerCase()
}
