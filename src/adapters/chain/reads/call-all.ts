import type { Hex, PublicClient, StateOverride } from 'viem'
import type { Head } from '../../../domain/ports/chains.ts'
import type { Deployment } from './deployment.ts'
import type { Answers, Called } from './joint-reads.ts'
import { multicallViews } from './views.ts'

/** The part of a connection that calls contracts. */
export type Caller = {
  /** viem's actions over `call`, without caching, because prices must be of the current block. */
  client: PublicClient
  deployment: Deployment
  /** How a read names its block: by the hash, so that a node refuses it once the block has left the chain. */
  at(block: Head): At
}

/** A block that never leaves the chain is named by its number, which the embedded chain reads faster. */
export type At = { blockNumber: bigint } | { blockHash: Hex; requireCanonical: true }

/** Makes all calls in one `eth_call`, in a state that may be pretended in parts. */
export async function callAll(
  { client, deployment, at }: Caller,
  calls: readonly Called[],
  block: Head,
  stateOverride: StateOverride = [],
): Promise<Answers> {
  if (calls.length === 0) return []
  const allowing = calls.map(({ target, callData }) => ({ target, callData, allowFailure: true }))
  const { callData, decode } = multicallViews.aggregate3(deployment.multicall3, allowing)
  const { data = '0x' } = await client.call({
    to: deployment.multicall3,
    data: callData,
    ...at(block),
    ...(stateOverride.length === 0 ? {} : { stateOverride }),
  })
  return decode(data).map(({ success, returnData }) => (success ? returnData : null))
}
