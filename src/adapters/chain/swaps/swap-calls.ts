import type { Address, Hex } from 'viem'
import type { Route, SwapPlan, TransactionCall } from '../../../domain/ports/chains.ts'
import type { Deployment } from '../reads/deployment.ts'
import { contractRoute, nativeEnds } from '../reads/native.ts'
import { v2Calls, v3Calls, wrappedCalls } from '../reads/views.ts'
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
  return ends.in ? wrappedCalls.deposit() : wrappedCalls.withdraw(plan.amountIn)
}

/**
 * Encodes a swap of the v2 router, by those functions that compare the minimum with the increase of the owner's
 * balance, so that transfer taxes count.
 */
function v2Data({ route, owner, amountIn, minimumOut, deadline }: SwapPlan, ends: Ends): Hex {
  const rest = [minimumOut, [...route.tokens], owner, deadline] as const
  if (ends.in) return v2Calls.swapExactETHForTokensSupportingFeeOnTransferTokens(...rest)
  return ends.out
    ? v2Calls.swapExactTokensForETHSupportingFeeOnTransferTokens(amountIn, ...rest)
    : v2Calls.swapExactTokensForTokensSupportingFeeOnTransferTokens(amountIn, ...rest)
}

/** The router's alias for itself as recipient, so that it can unwrap the output. */
const routerItself: Address = '0x0000000000000000000000000000000000000002'

/** The router's swaps have no deadline parameter: its `multicall` has one. */
function v3Data(plan: SwapPlan, ends: Ends): Hex {
  const calls = [v3Swap(plan, ends.out ? routerItself : plan.owner)]
  if (ends.out) calls.push(v3Calls.unwrapWETH9(plan.minimumOut, plan.owner))
  return v3Calls.multicall(plan.deadline, calls)
}

function v3Swap({ route, amountIn, minimumOut }: SwapPlan, recipient: Address): Hex {
  const common = { recipient, amountIn, amountOutMinimum: minimumOut }
  const [tokenIn, tokenOut] = route.tokens
  const [fee] = route.feePips
  if (route.pools.length === 1 && tokenIn !== undefined && tokenOut !== undefined && fee !== undefined) {
    return v3Calls.exactInputSingle({ ...common, tokenIn, tokenOut, fee, sqrtPriceLimitX96: 0n })
  }
  return v3Calls.exactInput({ ...common, path: pathOf(route) })
}

/** The token that a swap over the route pays with. */
export function firstTokenOf({ tokens: [token] }: Route): Address {
  if (token === undefined) throw new Error('The route has no tokens.')
  return token
}
