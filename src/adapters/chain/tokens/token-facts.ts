import { type Address, zeroAddress } from 'viem'
import type { Head, PoolShare, TokenFacts, TokenPowers } from '../../../domain/ports/chains.ts'
import type { Pool, PoolBook } from '../pools/pool-book.ts'
import { type Connection, readHead } from '../reads/connection.ts'
import { readAll } from '../reads/multicall.ts'
import { storageReader } from '../reads/storage.ts'
import { tokenViews } from '../reads/views.ts'
import { proxySlots, readPowers } from './privileges.ts'
import { deepest, fundedPools, tryToken } from './probe.ts'
import type { SlotFinder } from './slots.ts'

const nowhere: Address = '0x000000000000000000000000000000000000dEaD'

const none: TokenPowers = {
  issuer: [],
  traps: [],
  owner: null,
  ownerIsContract: false,
  renounced: false,
  implementation: null,
  upgradeable: false,
  ownerMintsNow: null,
}

/** Simulates trades of a token, reads its code, and who holds its pools; all at the newest block. */
export function tokenReader(
  connection: Connection,
  book: PoolBook,
  slots: SlotFinder,
): (token: Address) => Promise<TokenFacts> {
  const readStorage = storageReader(connection)
  return async (token) => {
    const block = await readHead(connection)
    const [code, [owner], words, pools] = await Promise.all([
      connection.client.getCode({ address: token, ...connection.at(block) }),
      readAll(connection, [tokenViews.owner(token)], block),
      readStorage({ address: token, slots: proxySlots }, block),
      fundedPools(connection, book, token, block),
    ])
    if (code === undefined || code === '0x') return { block, code: false, powers: none, pools: [], trials: [] }
    const found = pools.map(({ pool }) => pool)
    const [powers, trials, shares] = await Promise.all([
      readPowers(connection, { token, code, owner, words }, block),
      tryToken(connection, slots, token, deepest(pools), block),
      readShares(connection, token, owner, found, block),
    ])
    const untried = (['state overrides', 'access lists'] as const).find((lack) => connection.lacks.has(lack))
    return {
      block,
      code: true,
      powers,
      pools: shares,
      trials,
      ...(trials.length > 0 || untried === undefined ? {} : { untried }),
    }
  }
}

/** Who could withdraw the liquidity of the pools. Positions of v3 pools have no common token to read. */
async function readShares(
  connection: Connection,
  token: Address,
  owner: Address | null,
  pools: readonly Pool[],
  block: Head,
): Promise<PoolShare[]> {
  const reads = pools.flatMap(({ address }) => [
    tokenViews.balanceOf(token, address),
    tokenViews.totalSupply(address),
    ...[zeroAddress, nowhere, owner ?? nowhere].map((holder) => tokenViews.balanceOf(address, holder)),
  ])
  const [supply = null, ...answers] = await readAll(connection, [tokenViews.totalSupply(token), ...reads], block)
  return pools.map(({ venue, address }, index): PoolShare => {
    const [held = null, shares = null, atZero = 0n, atNowhere = 0n, owners = 0n] = answers.slice(
      index * 5,
      index * 5 + 5,
    )
    const counted = venue === 'uniswap_v2' ? shares : null
    return {
      venue,
      pool: address,
      supplyBps: bps(held, supply),
      burnedBps: bps((atZero ?? 0n) + (atNowhere ?? 0n), counted),
      ownerBps: owner === null ? (counted === null ? null : 0) : bps(owners, counted),
    }
  })
}

function bps(part: bigint | null, whole: bigint | null): number | null {
  return part === null || whole === null || whole === 0n ? null : Number((part * 10_000n) / whole)
}
