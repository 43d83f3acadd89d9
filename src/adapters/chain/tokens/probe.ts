import { readFileSync } from 'node:fs'
import {
  type Abi,
  type Address,
  concat,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  keccak256,
  type StateOverride,
  stringToHex,
} from 'viem'
import { type Head, sameAddress, type Trial, type TrialStage } from '../../../domain/ports/chains.ts'
import { provesNothing } from '../../node/errors/failures.ts'
import { reasonOf } from '../../node/errors/reverts.ts'
import type { Pool, PoolBook } from '../pools/pool-book.ts'
import type { Connection } from '../reads/connection.ts'
import { soundTokens } from '../reads/deployment.ts'
import { readAll } from '../reads/multicall.ts'
import { tokenViews } from '../reads/views.ts'
import type { SlotFinder } from './slots.ts'

type Stage = { ran: boolean; ok: boolean; taxBps: bigint; revertData: Hex }
type Report = { buy: Stage; move: Stage; sell: Stage; roundTripLossBps: bigint }

/** A pool that holds something to pay for the token with, and how much. */
type FundedPool = { pool: Pool; depth: bigint }

const artifact = JSON.parse(
  readFileSync(new URL('../contracts/artifacts/TradeProbe.json', import.meta.url), 'utf8'),
) as {
  abi: Abi
  deployedBytecode: Hex
}

/** An unused account, different for each block and purpose, so that a token cannot recognise it. */
function stranger(block: Head, purpose: 'contract' | 'sender'): Address {
  return `0x${keccak256(concat([block.hash, stringToHex(purpose)])).slice(-40)}`
}

/** The pools of the token with other known tokens: those with the best payment token first, then the deepest. */
export async function fundedPools(
  connection: Connection,
  book: PoolBook,
  token: Address,
  block: Head,
): Promise<FundedPool[]> {
  const bases = basesFor(connection, token)
  const found = await book.find(
    bases.map((base): [Address, Address] => [token, base]),
    block,
  )
  const depths = await readAll(
    connection,
    found.map((pool) => tokenViews.balanceOf(baseOf(pool, token), pool.address)),
    block,
  )
  const rank = ({ pool }: FundedPool) => bases.findIndex((base) => sameAddress(base, baseOf(pool, token)))
  return found
    .map((pool, index) => ({ pool, depth: depths[index] ?? 0n }))
    .filter(({ depth }) => depth > 0n)
    .sort((left, right) => rank(left) - rank(right) || (left.depth > right.depth ? -1 : 1))
}

/** The first pool of each venue. */
export function deepest(pools: readonly FundedPool[]): FundedPool[] {
  return (['uniswap_v2', 'uniswap_v3'] as const).flatMap(
    (venue) => pools.find(({ pool }) => pool.venue === venue) ?? [],
  )
}

/** Simulates buying, moving and selling the token in each pool; empty where the node cannot simulate it. */
export async function tryToken(
  connection: Connection,
  slots: SlotFinder,
  token: Address,
  pools: readonly FundedPool[],
  block: Head,
): Promise<Trial[]> {
  const trials = await Promise.all(pools.map((pool) => probe(connection, slots, token, pool, block)))
  return trials.filter((trial) => trial !== null)
}

async function probe(
  connection: Connection,
  slots: SlotFinder,
  token: Address,
  { pool, depth }: FundedPool,
  block: Head,
): Promise<Trial | null> {
  const { client, deployment, at, lacks } = connection
  if (lacks.has('state overrides')) return null
  const base = baseOf(pool, token)
  // A thousandth of the pool: enough to measure a tax, too little to move the price much.
  const amount = depth / 1_000n > 0n ? depth / 1_000n : depth
  const venue =
    pool.venue === 'uniswap_v3'
      ? { router: deployment.uniswap_v3.router, quoter: deployment.uniswap_v3.quoter, fee: pool.feePips }
      : { router: deployment.uniswap_v2.router, quoter: deployment.uniswap_v3.quoter, fee: 0 }
  const data = encodeFunctionData({ abi: artifact.abi, functionName: 'probe', args: [venue, base, token, amount] })
  const prober = stranger(block, 'contract')
  const code = { address: prober, code: artifact.deployedBytecode }
  try {
    const funds = sameAddress(base, deployment.wrapped_native) ? [] : await slots.fund(base, prober, amount, null)
    if (funds === null) return null
    const stateOverride: StateOverride = [{ ...code, balance: amount }, ...funds]
    const answer = await client.call({
      // A call without `from` comes from the zero address, by which a token could recognise a simulation.
      account: stranger(block, 'sender'),
      to: prober,
      data,
      stateOverride,
      ...at(block),
    })
    if (answer.data === undefined) return null
    const report = decodeFunctionResult({ abi: artifact.abi, functionName: 'probe', data: answer.data }) as Report
    return {
      venue: pool.venue,
      pool: pool.address,
      paidWith: base,
      buy: stageOf(report.buy),
      move: stageOf(report.move),
      sell: stageOf(report.sell),
      roundTripLossBps: Number(report.roundTripLossBps),
    }
  } catch (error) {
    if (provesNothing(error)) throw error
    return null
  }
}

function stageOf({ ran, ok, taxBps, revertData }: Stage): TrialStage {
  return { ran, ok, taxBps: Number(taxBps), reason: ran && !ok ? reasonOf(revertData) : null }
}

/** The tokens to pay with: the wrapped native one first, then other known tokens with a feed. */
function basesFor({ deployment }: Connection, token: Address): Address[] {
  const priced = soundTokens(deployment)
    .filter((known) => known.usd_feed !== undefined)
    .map((known) => known.address)
  const bases = [deployment.wrapped_native, ...priced.filter((base) => !sameAddress(base, deployment.wrapped_native))]
  return bases.filter((base) => !sameAddress(base, token))
}

function baseOf(pool: Pool, token: Address): Address {
  return sameAddress(pool.token0, token) ? pool.token1 : pool.token0
}
