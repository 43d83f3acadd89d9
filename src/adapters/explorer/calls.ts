import {
  type AbiFunction,
  type AbiParameter,
  type Address,
  decodeAbiParameters,
  formatUnits,
  type Hex,
  parseAbi,
  slice,
  toFunctionSelector,
} from 'viem'
import { lower } from '../../opstack/messages.ts'
import { multicallAbi, tokenAbi, v2Abi, v3Abi, wrappedAbi } from '../chain/reads/abis.ts'
import type { Party, TokenParty } from './parties.ts'

/** A call of a known function, with its arguments in units where their token is known, and the calls inside it. */
type DecodedCall = {
  name: string
  args: { name: string; value: string; party: Party | null }[]
  inner: DecodedCall[]
}

/** What a call would swap: the tokens that contracts use, and the amounts; null where the call does not say it. */
type SwapTerms = { tokenIn: Address; tokenOut: Address; amountIn: bigint | null; minimum: bigint | null }

/** A call read from its data, before it is written in units. */
export type ReadCall = { name: string; fields: Field[]; inner: ReadCall[]; swap: SwapTerms | null }

type Field = { name: string; type: string; value: unknown }

/** Functions beyond those that the gateway calls itself. */
const others = parseAbi([
  'function transfer(address to, uint256 value) returns (bool)',
  'function transferFrom(address from, address to, uint256 value) returns (bool)',
  'function multicall(bytes[] data) payable returns (bytes[])',
  'function refundETH() payable',
  'function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
  'function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to) payable',
  'function swapExactETHForTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline) payable',
  'function swapExactTokensForETH(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
  'function initiateWithdrawal(address target, uint256 gasLimit, bytes data) payable',
  'function fund(address account) payable',
])

const known = new Map(
  [...tokenAbi, ...v2Abi, ...v3Abi, ...wrappedAbi, ...multicallAbi, ...others]
    .filter((item): item is typeof item & AbiFunction => item.type === 'function')
    .map((item): [string, AbiFunction] => [toFunctionSelector(item), item]),
)

/** Longer data, deeper calls and longer lists are shown raw; `digits` bounds all calls inside a transaction together. */
const most = { digits: 100_000, depth: 2, inner: 20 }

/** Null where the function is not a known one. The digits of `left` are what may still be read. */
export function readCall(data: Hex, depth = 0, left = { digits: 2 * most.digits }): ReadCall | null {
  const item = known.get(data.slice(0, 10).toLowerCase())
  if (item === undefined || data.length > most.digits) return null
  left.digits -= data.length
  if (left.digits < 0 || hasLongList(item, data)) return null
  try {
    const values = item.inputs.length === 0 ? [] : decodeAbiParameters(item.inputs, slice(data, 4))
    const fields = item.inputs.flatMap((input, place) => flat(input, values[place]))
    const nested = depth < most.depth ? fields.filter(({ type }) => type === 'bytes[]') : []
    const inner = nested.flatMap(({ value }) => value as Hex[]).flatMap((one) => readCall(one, depth + 1, left) ?? [])
    return { name: item.name, fields, inner, swap: swapIn(fields) }
  } catch {
    return null // another function with the same selector, or cut data
  }
}

/**
 * Whether a list of parts of any length has too many of them. All may point at the same bytes, so that a short input would
 * decode to a long one. In the known functions with such a list every argument has one word in the head.
 */
function hasLongList({ inputs }: AbiFunction, data: Hex): boolean {
  const word = (byte: number) => Number(`0x${data.slice(10 + 2 * byte, 10 + 2 * byte + 64) || '0'}`)
  return inputs.some(
    ({ type }, place) => /^(bytes|string|tuple)\[\]$/.test(type) && word(word(32 * place)) > most.inner,
  )
}

/** The fields of structs stand for themselves. */
function flat(input: AbiParameter, value: unknown): Field[] {
  if (input.type !== 'tuple' || !('components' in input)) return [{ name: input.name ?? '', type: input.type, value }]
  return input.components.flatMap((part) => flat(part, (value as Record<string, unknown>)[part.name ?? '']))
}

function swapIn(fields: readonly Field[]): SwapTerms | null {
  const ofName = (...names: string[]) => fields.find(({ name }) => names.includes(name))?.value
  const path = ofName('path')
  const ends = Array.isArray(path) ? [path[0], path.at(-1)] : (endsOf(path) ?? [ofName('tokenIn'), ofName('tokenOut')])
  const [tokenIn, tokenOut] = ends as (Address | undefined)[]
  const minimum = ofName('amountOutMin', 'amountOutMinimum') as bigint | undefined
  if (tokenIn === undefined || tokenOut === undefined || minimum === undefined) return null
  return { tokenIn, tokenOut, minimum, amountIn: (ofName('amountIn') as bigint | undefined) ?? null }
}

/** The first and the last token of a packed path. */
function endsOf(path: unknown): [Address, Address] | null {
  return typeof path !== 'string' || path.length < 2 + 2 * 43
    ? null
    : [slice(path as Hex, 0, 20), slice(path as Hex, -20)]
}

/** The swap that a call makes, itself or in a call inside it, and whether it pays out the native currency. */
export function swapOf(call: ReadCall): (SwapTerms & { unwraps: boolean }) | null {
  const swap = call.swap ?? call.inner.find((one) => one.swap !== null)?.swap ?? null
  const unwraps = call.name.includes('ForETH') || call.inner.some(({ name }) => name === 'unwrapWETH9')
  return swap === null ? null : { ...swap, unwraps }
}

/** How the arguments are written. */
export type Writing = {
  party(address: string): Party
  /** Null where the token is not known. */
  token(address: string): TokenParty | null
  wrapped: Address
}

/** An allowance from here on stands for any amount. */
export const anyAmount = 2n ** 255n

/** The call with its arguments in words; `target` is the contract that it calls. */
export function writeCall(call: ReadCall, target: string, writing: Writing): DecodedCall {
  const args = call.fields.flatMap((field) =>
    written(field, tokenOf(field.name, call, target, writing.wrapped), writing),
  )
  return { name: call.name, args, inner: call.inner.map((one) => writeCall(one, target, writing)) }
}

function written({ name, type, value }: Field, unit: string | null, { party, token }: Writing): DecodedCall['args'] {
  if (type === 'address') return [{ name, value: String(value), party: party(String(value)) }]
  if (type === 'address[]')
    return (value as string[])
      .slice(0, most.inner)
      .map((one, place) => ({ name: `${name} ${place + 1}`, value: one, party: token(one) ?? party(one) }))
  const inUnits = typeof value === 'bigint' && unit !== null ? amountIn(value, token(unit)) : null
  const text = inUnits ?? (type === 'bytes[]' ? countOf(value as unknown[]) : plain(name, value))
  return [{ name, value: text, party: null }]
}

function countOf({ length }: readonly unknown[]): string {
  return length === 1 ? '1 call' : `${length} calls`
}

function plain(name: string, value: unknown): string {
  if (name === 'deadline' && typeof value === 'bigint' && value < 10_000_000_000n)
    return `${new Date(Number(value) * 1_000).toISOString().slice(0, 19).replace('T', ' ')} UTC`
  if (typeof value !== 'object') return String(value)
  return JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? String(part) : part)).slice(0, 2_000)
}

/** An amount in units of its token; null where these are not known. */
export function amountIn(value: bigint, token: TokenParty | null): string | null {
  if (token === null || token.decimals === null || token.name === null) return null
  const name = token.listed ? token.name : `“${token.name}”`
  return value >= anyAmount ? `any amount of ${name}` : `${formatUnits(value, token.decimals)} ${name}`
}

/** The token in which an argument counts; null for any other number. */
function tokenOf(field: string, { name, swap }: ReadCall, target: string, wrapped: Address): string | null {
  if (field === 'value') return target
  if (field === 'amountIn') return swap?.tokenIn ?? null
  if (field === 'amountOutMin' || field === 'amountOutMinimum') return swap?.tokenOut ?? null
  const unwraps = name === 'unwrapWETH9' || (name === 'withdraw' && lower(target as Hex) === lower(wrapped))
  return unwraps ? wrapped : null
}
