import { type Address, encodeFunctionData, type Hex } from 'viem'
import type { Route, SwapPlan, TransactionCall } from '../../../domain/ports/chains.ts'
import { v2Abi, v3Abi, wrappedAbi } from '../reads/abis.ts'
import type { Deployment } from '../reads/deployment.ts'
import { contractRoute, nativeEnds } from '../reads/native.ts'
import { pathOf } from './quotes.ts'

/** The contract that a swap over the route calls. */
export function exchangeOf(deployment: Deployment, { venue }: Route): Address {
  if (venue === 'wrapped_native') return deployment.wrapped_native
  return venue === 'uniswap_v3' ? deployment.uniswap_v3.router : deployment.uniswap_v2.router
}

/** The contract that spends the token in, which must be approved; null where no approval is needed. */
export function spenderOf(deployment: Deployment, route: Route): Address | null {
  const needsNone = nativeEnds(route).in || route.venue === 'wrapped_native'
  return needsNone ? null : exchangeOf(deployment, route)
}

/** The swap as one call: native currency is sent as its value, and unwrapped on arrival. */
export function swapCall(deployment: Deployment, plan: SwapPlan): TransactionCall {
  const ends = nativeEnds(plan.route)
  const inner = { ...plan, route: contractRoute(deployment, plan.route) }
  const data = dataOf(inner, ends)
  return { to: exchangeOf(deployment, plan.route), data, value: ends.in ? plan.amountIn : 0n }
}

type Ends = ReturnType<typeof nativeEnds>

function dataOf(plan: SwapPlan, ends: Ends): Hex {
  if (plan.route.venue === 'uniswap_v3') return v3Data(plan, ends)
  if (plan.route.venue === 'uniswap_v2') return v2Data(plan, ends)
  return ends.in
    ? encodeFunctionData({ abi: wrappedAbi, functionName: 'deposit' })
    : encodeFunctionData({ abi: wrappedAbi, functionName: 'withdraw', args: [plan.amountIn] })
}

/**
 * Encodes a swap of the v2 router, by those functions that compare the minimum with the increase of the owner's
 * balance, so that transfer taxes count.
 */
function v2Data({ route, owner, amountIn, minimumOut, deadline }: SwapPlan, ends: Ends): Hex {
  const abi = v2Abi
  const rest = [minimumOut, [...route.tokens], owner, deadline] as const
  const taxed = 'SupportingFeeOnTransferTokens'
  if (ends.in) return encodeFunctionData({ abi, functionName: `swapExactETHForTokens${taxed}`, args: rest })
  const functionName = `swapExactTokensFor${ends.out ? 'ETH' : 'Tokens'}${taxed}` as const
  return encodeFunctionData({ abi, functionName, args: [amountIn, ...rest] })
}

/** The router's alias for itself as recipient, so that it can unwrap the output. */
const routerItself: Address = '0x0000000000000000000000000000000000000002'

/** The router's swaps have no deadline parameter: its `multicall` has one. */
function v3Data(plan: SwapPlan, ends: Ends): Hex {
  const calls = [v3Swap(plan, ends.out ? routerItself : plan.owner)]
  if (ends.out) {
    const args = [plan.minimumOut, plan.owner] as const
    calls.push(encodeFunctionData({ abi: v3Abi, functionName: 'unwrapWETH9', args }))
  }
  return encodeFunctionData({ abi: v3Abi, functionName: 'multicall', args: [plan.deadline, calls] })
}

function v3Swap({ route, amountIn, minimumOut }: SwapPlan, recipient: Address): Hex {
  const common = { recipient, amountIn, amountOutMinimum: minimumOut }
  const [tokenIn, tokenOut] = route.tokens
  const [fee] = route.feePips
  if (route.pools.length === 1 && tokenIn !== undefined && tokenOut !== undefined && fee !== undefined) {
    const params = { ...common, tokenIn, tokenOut, fee, sqrtPriceLimitX96: 0n }
    return encodeFunctionData({ abi: v3Abi, functionName: 'exactInputSingle', args: [params] })
  }
  return encodeFunctionData({ abi: v3Abi, functionName: 'exactInput', args: [{ ...common, path: pathOf(route) }] })
}
