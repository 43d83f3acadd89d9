import type { Head, Hex } from '../../../domain/ports/chains.ts'
import type { Deployment } from './deployment.ts'
import { soundTokens } from './deployment.ts'
import { turnBatch } from './turn-batch.ts'

/** A contract and the data that it is called with. */
export type Called = { target: Hex; callData: Hex }
/** What the contracts return; null where one gave no answer. */
export type Answers = readonly (Hex | null)[]
type Ask = (calls: readonly Called[], block: Head) => Promise<Answers>

/**
 * Joins reads of contracts that are known to do as expected: those of the table, and the pools that its factories made. Any
 * other contract may burn the gas of the call that it is in, so it is not read beside what others need.
 */
export type JointReads = {
  isSound(target: Hex): boolean
  /** Notes a pool that a factory of the table has made. */
  addPool(address: Hex): void
  /** Reads at a block, in one call with what is asked in the same turn of the event loop. */
  ask: Ask
}

/** The most reads in one call. */
const mostTogether = 400

/** Creates them for the contracts of a table; `ask` makes one call. */
export function jointReads(deployment: Deployment, ask: Ask): JointReads {
  const sound = new Set<string>(addressesOf(deployment))
  return {
    isSound: (target) => sound.has(target.toLowerCase()),
    addPool: (address) => void sound.add(address.toLowerCase()),
    ask: turnBatch(ask, mostTogether),
  }
}

function addressesOf(deployment: Deployment): string[] {
  const { uniswap_v2: v2, uniswap_v3: v3, multicall3, wrapped_native, feeds } = deployment
  const contracts = [v2.factory, v2.router, v3.factory, v3.router, v3.quoter, multicall3, wrapped_native]
  const known = [...soundTokens(deployment), ...feeds].map(({ address }) => address)
  return [...contracts, ...known].map((address) => address.toLowerCase())
}
