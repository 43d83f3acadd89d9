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
import { feedAbi, multicallAbi, proxyAbi, tokenAbi, v2Abi, v3Abi, wrappedAbi } from './abis.ts'

type Readable = 'pure' | 'view'
type Writable = 'nonpayable' | 'payable'

/** A read of a contract, and how its result is decoded; `readAll` executes it. */
export type Reading<T> = { target: Address; callData: Hex; decode: (data: Hex) => T }

/** The view functions of a contract; each returns the read of that function at an address. */
type Views<abi extends Abi> = {
  [name in ContractFunctionName<abi, Readable>]: (
    target: Address,
    ...args: Extract<ContractFunctionArgs<abi, Readable, name>, readonly unknown[]>
  ) => Reading<ContractFunctionReturnType<abi, Readable, name>>
}

/** The other functions of a contract; each returns the data of a call of that function. */
type Calls<abi extends Abi> = {
  [name in ContractFunctionName<abi, Writable>]: (
    ...args: Extract<ContractFunctionArgs<abi, Writable, name>, readonly unknown[]>
  ) => Hex
}

export const tokenViews = viewsOf(tokenAbi)
export const v2Views = viewsOf(v2Abi)
export const v3Views = viewsOf(v3Abi)
export const feedViews = viewsOf(feedAbi)
export const proxyViews = viewsOf(proxyAbi)
export const multicallViews = viewsOf(multicallAbi)

export const tokenCalls = callsOf(tokenAbi)
export const v2Calls = callsOf(v2Abi)
export const v3Calls = callsOf(v3Abi)
export const wrappedCalls = callsOf(wrappedAbi)
export const multicallCalls = callsOf(multicallAbi)

/** The views of the functions that only read. */
export function viewsOf<const abi extends Abi>(abi: abi): Views<abi> {
  const views = functionsOf(abi, ['pure', 'view']).map((item) => [item.name, viewOf(item)])
  return Object.fromEntries(views) as unknown as Views<abi>
}

function callsOf<const abi extends Abi>(abi: abi): Calls<abi> {
  const calls = functionsOf(abi, ['nonpayable', 'payable']).map((item) => [item.name, encoderOf(item)])
  return Object.fromEntries(calls) as unknown as Calls<abi>
}

function functionsOf(abi: Abi, kinds: readonly AbiFunction['stateMutability'][]): AbiFunction[] {
  return abi.filter((item) => item.type === 'function').filter(({ stateMutability }) => kinds.includes(stateMutability))
}

function viewOf(item: AbiFunction): (target: Address, ...args: unknown[]) => Reading<unknown> {
  const encode = encoderOf(item)
  return (target, ...args) => ({
    target,
    callData: encode(...args),
    decode: (data) => decodeFunctionResult({ abi: [item], functionName: item.name, data }),
  })
}

/** The selector is a hash, so it is computed once here and not for each call. */
function encoderOf(item: AbiFunction): (...args: unknown[]) => Hex {
  const prepared = prepareEncodeFunctionData({ abi: [item], functionName: item.name })
  return (...args) => encodeFunctionData({ ...prepared, args } as EncodeFunctionDataParameters)
}
