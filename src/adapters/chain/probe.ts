import { readFileSync } from 'node:fs'
import { type Abi, type Address, decodeFunctionResult, encodeFunctionData, type Hex, type StateOverride } from 'viem'
import { tokenAbi } from './abis.ts'
import { type Connection, same } from './connection.ts'
import { isSilence } from './errors.ts'
import { readAll, reading } from './multicall.ts'
import type { Pool, PoolBook } from './pools.ts'
import type { SlotFinder } from './slots.ts'

type Stage = { ran: boolean; ok: boolean; taxBps: bigint; revertData: Hex }
type Report = { buy: Stage; move: Stage; sell: Stage; roundTripLossBps: bigint }

/** What buying, moving and selling a token did in a call that changed nothing. */
export type ProbeResult = { pool: Pool; base: Address; report: Report }

const artifact = JSON.parse(readFileSync(new URL('contracts/artifacts/TradeProbe.json', import.meta.url), 'utf8')) as {
  abi: Abi
  deployedBytecode: Hex
}

/** An account that nobody has, so that no token can know it. */
const prober: Address = '0x9d1f6d3b8c0e4a57b2c8e61f04a3d95be7720c41'

/**
 * Buys, moves and sells the token in the deepest pool of each venue. `pools` is empty where it trades nowhere;
 * `results` is empty too where the node does not run such calls.
 */
export async function probeToken(
  connection: Connection,
  book: PoolBook,
  slots: SlotFinder,
  token: Address,
  blockNumber: bigint,
): Promise<{ pools: Pool[]; results: ProbeResult[] }> {
  const bases = basesFor(connection, token)
  const found = await book.find(
    bases.map((base): [Address, Address] => [token, base]),
    blockNumber,
  )
  const depths = await readAll(
    connection,
    found.map((pool) => reading(baseOf(pool, token), tokenAbi, 'balanceOf', [pool.address])),
    blockNumber,
  )
  const pools = found
    .map((pool, index) => ({
      pool,
      depth: depths[index] ?? 0n,
      rank: bases.findIndex((base) => same(base, baseOf(pool, token))),
    }))
    .filter(({ depth }) => depth > 0n)
    .sort((left, right) => left.rank - right.rank || (left.depth > right.depth ? -1 : 1))
  const chosen = (['uniswap_v2', 'uniswap_v3'] as const).flatMap(
    (venue) => pools.find(({ pool }) => pool.venue === venue) ?? [],
  )
  const results = await Promise.all(
    chosen.map(({ pool, depth }) => probe(connection, slots, token, pool, depth, blockNumber)),
  )
  return { pools: pools.map(({ pool }) => pool), results: results.filter((result) => result !== null) }
}

async function probe(
  connection: Connection,
  slots: SlotFinder,
  token: Address,
  pool: Pool,
  depth: bigint,
  blockNumber: bigint,
): Promise<ProbeResult | null> {
  const { client, deployment } = connection
  const base = baseOf(pool, token)
  // A thousandth of the pool: enough to measure a tax, too little for the price to move much.
  const amount = depth / 1_000n > 0n ? depth / 1_000n : depth
  const venue =
    pool.venue === 'uniswap_v3'
      ? { router: deployment.uniswap_v3.router, quoter: deployment.uniswap_v3.quoter, fee: pool.feePips }
      : { router: deployment.uniswap_v2.router, quoter: deployment.uniswap_v3.quoter, fee: 0 }
  const data = encodeFunctionData({ abi: artifact.abi, functionName: 'probe', args: [venue, base, token, amount] })
  const code = { address: prober, code: artifact.deployedBytecode }
  try {
    const funds = same(base, deployment.wrapped_native) ? null : await slots.fund(base, prober, amount, null)
    const stateOverride: StateOverride = [{ ...code, balance: amount }, ...(funds ?? [])]
    const answer = await client.call({ to: prober, data, stateOverride, blockNumber })
    if (answer.data === undefined) return null
    return {
      pool,
      base,
      report: decodeFunctionResult({ abi: artifact.abi, functionName: 'probe', data: answer.data }) as Report,
    }
  } catch (error) {
    if (isSilence(error)) throw error
    return null
  }
}

/** What a token may be paid with: the wrapped native first, then the other known tokens that a feed prices. */
function basesFor({ deployment }: Connection, token: Address): Address[] {
  const priced = deployment.tokens.filter((known) => known.usd_feed !== undefined).map((known) => known.address)
  const bases = [deployment.wrapped_native, ...priced.filter((base) => !same(base, deployment.wrapped_native))]
  return bases.filter((base) => !same(base, token))
}

function baseOf(pool: Pool, token: Address): Address {
  return same(pool.token0, token) ? pool.token1 : pool.token0
}
