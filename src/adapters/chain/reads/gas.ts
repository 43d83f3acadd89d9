import { concatHex, decodeFunctionResult, encodeFunctionData, isHex, keccak256, parseAbi, size, toHex } from 'viem'
import type { Hex, Route } from '../../../domain/ports/chains.ts'
import { isSilence, provesNothing } from '../../node/errors/failures.ts'
import type { Connection } from './connection.ts'

/** Gas of an initialized tick that the price passes. */
const gasOfTick = 25_000n

/** Typical gas of swaps over such a route, for ranking routes and where a node cannot estimate. */
export function usualGas({ venue, pools }: Route, ticksPassed = 0): bigint {
  if (venue === 'wrapped_native') return 60_000n
  return 180_000n + 110_000n * BigInt(pools.length - 1) + gasOfTick * BigInt(ticksPassed)
}

/** Arbitrum's contract that nodes imitate for calls from outside; no other contract can call it. */
const nodeInterface = '0x00000000000000000000000000000000000000C8'
const nodeInterfaceAbi = parseAbi([
  'function gasEstimateL1Component(address to, bool creates, bytes data) payable returns (uint64 gas, uint256 baseFee, uint256 l1BaseFee)',
])

/** As many bytes as a swap over several pools has, which do not compress. */
const swapData = concatHex(Array.from({ length: 20 }, (_, index) => keccak256(toHex(index))))

/**
 * Creates the typical gas of a swap where the node cannot estimate it. On Arbitrum it includes the gas that the data of a
 * swap takes there for the parent chain, which is read once a block; estimates include it anyway.
 */
export function typicalGas({ call, embedded, view }: Pick<Connection, 'call' | 'embedded' | 'view'>) {
  let counts = !embedded
  const read = async (): Promise<bigint> => {
    const functionName = 'gasEstimateL1Component'
    const data = encodeFunctionData({ abi: nodeInterfaceAbi, functionName, args: [nodeInterface, false, swapData] })
    const answer = await call('eth_call', [{ to: nodeInterface, data }, 'latest']).catch((failure: unknown) => {
      if (provesNothing(failure)) throw failure
      return '0x'
    })
    if (isHex(answer) && size(answer) >= 96)
      return decodeFunctionResult({ abi: nodeInterfaceAbi, functionName, data: answer })[0]
    counts = false // the chain is not Arbitrum
    return 0n
  }
  return async (route: Route): Promise<bigint> => {
    const gas = usualGas(route)
    return counts ? gas + (await (await view()).once('data gas', read)) : gas
  }
}

/** Typical gas of an approval, proxies included. */
export const usualApproval = 80_000n

/** The margin over the measured gas: the state of the block in which it is mined differs. */
export const withMargin = (gas: bigint): bigint => (gas * 12n) / 10n

/** The gas of an empty transaction on most chains, which is the least on any. */
const bareTransaction = 21_000n

/** The gas limit of an empty transaction to the own account; chains that charge for its bytes estimate more. */
export async function emptyGas({ client }: Connection, account: Hex): Promise<bigint> {
  try {
    const used = await client.estimateGas({ account, to: account, value: 0n })
    return used > bareTransaction ? withMargin(used) : bareTransaction
  } catch (error) {
    if (isSilence(error)) throw error
    return bareTransaction
  }
}
