import { type AbiFunction, decodeFunctionData, toFunctionSelector, toFunctionSignature } from 'viem'
import type { DecodedCall, TransactionCall } from '../../../domain/ports/chains.ts'
import { tokenAbi, v2Abi, v3Abi, wrappedAbi } from '../reads/abis.ts'

const signatures = new Map(
  [...tokenAbi, ...v2Abi, ...v3Abi, ...wrappedAbi]
    .filter((item): item is typeof item & AbiFunction => item.type === 'function')
    .map((item) => [toFunctionSelector(item), toFunctionSignature(item)]),
)

/** The function that a call of this adapter calls, and the amount that it approves. */
export function decodedCall({ data }: TransactionCall): DecodedCall {
  const signature = signatures.get(data.slice(0, 10) as `0x${string}`)
  if (signature === undefined) throw new Error(`No contract of the adapter has the function ${data.slice(0, 10)}.`)
  if (signature !== 'approve(address,uint256)') return { signature, approves: null }
  const { args } = decodeFunctionData({ abi: tokenAbi, data })
  return { signature, approves: (args as readonly [string, bigint])[1] }
}
