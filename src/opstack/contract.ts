import { type Abi, decodeFunctionResult, encodeFunctionData, type Hex, parseAbi } from 'viem'
import type { BridgeChain } from './chain.ts'

/** Calls a function by its signature at the newest block. Throws where it reverts, or there is no contract. */
export async function callContract(
  chain: BridgeChain,
  to: Hex,
  signature: string,
  args: readonly unknown[] = [],
): Promise<unknown> {
  const abi = parseAbi([signature]) as Abi
  const data = (await chain.read('eth_call', [{ to, data: encodeFunctionData({ abi, args }) }, 'latest'])) as Hex
  return decodeFunctionResult({ abi, data })
}
