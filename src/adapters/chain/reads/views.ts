import {
  type Abi,
  type AbiFunction,
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  type ContractFunctionReturnType,
  decodeFunctionResult,
  type EncodeFunctionDataParameters,
  encodeFunctionData,
  type Hex,
  prepareEncodeFunctionData,
} from 'viem'
import { feedAbi, multicallAbi, proxyAbi, tokenAbi, v2Abi, v3Abi } from './abis.ts'

type Readable = 'pure' | 'view'

/** A read of a contract, and how its result is decoded; `readAll` executes it. */
export type Reading<T> = { target: Address; callData: Hex; decode: (data: Hex) => T }

/** The view functions of a contract; each returns the read of that function at an address. */
type Views<abi extends Abi> = {
  [name in ContractFunctionName<abi, Readable>]: (
    target: Address,
    ...args: Extract<ContractFunctionArgs<abi, Readable, name>, readonly unknown[]>
  ) => Reading<ContractFunctionReturnType<abi, Readable, name>>
}

export const tokenViews = viewsOf(tokenAbi)
export const v2Views = viewsOf(v2Abi)
export const v3Views = viewsOf(v3Abi)
export const feedViews = viewsOf(feedAbi)
export const proxyViews = viewsOf(proxyAbi)
export const multicallViews = viewsOf(multicallAbi)

function viewsOf<const abi extends Abi>(abi: abi): Views<abi> {
  const readable = abi.filter(
    (item): item is AbiFunction => item.type === 'function' && ['pure', 'view'].includes(item.stateMutability),
  )
  return Object.fromEntries(readable.map((item) => [item.name, viewOf(item)])) as unknown as Views<abi>
}

/** The selector is a hash, so it is computed once here and not for each read. */
function viewOf(item: AbiFunction): (target: Address, ...args: unknown[]) => Reading<unknown> {
  const abi = [item]
  const prepared = prepareEncodeFunctionData({ abi, functionName: item.name })
  return (target, ...args) => ({
    target,
    callData: encodeFunctionData({ ...prepared, args } as EncodeFunctionDataParameters),
    decode: (data) => decodeFunctionResult({ abi, functionName: item.name, data }),
  })
}
