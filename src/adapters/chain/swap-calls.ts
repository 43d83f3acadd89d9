import { type Address, encodeFunctionData, type Hex } from 'viem'
import type { Route, SwapPlan, TransactionCall } from '../../domain/ports/chains.ts'
import { v2Abi, v3Abi } from './abis.ts'
import type { Deployment } from './deployment.ts'
import { pathOf } from './quotes.ts'

/** `taxed` is the v2 swap that allows for a token which takes a share of each transfer. */
export type Variant = 'plain' | 'taxed'

/** The contract that takes the token in, and must be approved for it. */
export function spenderOf(deployment: Deployment, route: Route): Address {
  return route.venue === 'uniswap_v3' ? deployment.uniswap_v3.router : deployment.uniswap_v2.router
}

/** The swap as a call to the venue's router. */
export function swapCall(deployment: Deployment, plan: SwapPlan, variant: Variant): TransactionCall {
  const data = plan.route.venue === 'uniswap_v3' ? v3Data(plan) : v2Data(plan, variant)
  return { to: spenderOf(deployment, plan.route), data, value: 0n }
}

function v2Data({ route, owner, amountIn, minimumOut, deadline }: SwapPlan, variant: Variant): Hex {
  const functionName =
    variant === 'plain' ? 'swapExactTokensForTokens' : 'swapExactTokensForTokensSupportingFeeOnTransferTokens'
  return encodeFunctionData({
    abi: v2Abi,
    functionName,
    args: [amountIn, minimumOut, [...route.tokens], owner, deadline],
  })
}

/** The router's swaps know no deadline: its `multicall` brings it. */
function v3Data(plan: SwapPlan): Hex {
  return encodeFunctionData({ abi: v3Abi, functionName: 'multicall', args: [plan.deadline, [v3Swap(plan)]] })
}

function v3Swap({ route, owner, amountIn, minimumOut }: SwapPlan): Hex {
  const common = { recipient: owner, amountIn, amountOutMinimum: minimumOut }
  const [tokenIn, tokenOut] = route.tokens
  const [fee] = route.feePips
  if (route.pools.length === 1 && tokenIn !== undefined && tokenOut !== undefined && fee !== undefined) {
    const params = { ...common, tokenIn, tokenOut, fee, sqrtPriceLimitX96: 0n }
    return encodeFunctionData({ abi: v3Abi, functionName: 'exactInputSingle', args: [params] })
  }
  return encodeFunctionData({ abi: v3Abi, functionName: 'exactInput', args: [{ ...common, path: pathOf(route) }] })
}
