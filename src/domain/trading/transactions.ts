import type { contract } from '../../contract/index.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'
import type { Leg, SwapPlan } from '../ports/chains.ts'
import { formatUnits } from '../values/money.ts'
import type { Swap } from '../values/swap.ts'

type Shown = NonNullable<OutputOf<typeof contract.trading.execute>['transactions']>[number]

/** The transactions of a trade as they would be signed, each with its purpose in words. */
export function presentTransactions(swap: Swap, plan: SwapPlan, legs: readonly Leg[]): Shown[] {
  return legs.map(({ kind, call }) => {
    const { signature, approves } = swap.chain.decodedCall(call)
    const purpose = kind === 'approve' ? approvalPurpose(swap, approves ?? 0n) : swapPurpose(swap, plan)
    return { to: call.to, value: formatUnits(call.value, 18), data: call.data, function: signature, purpose }
  })
}

function approvalPurpose({ tokenIn }: Swap, amount: bigint): string {
  return amount === 0n
    ? `ends an earlier allowance of ${tokenIn.symbol}, as the token demands before a new one`
    : `allows the router to take ${formatUnits(amount, tokenIn.decimals)} ${tokenIn.symbol}`
}

function swapPurpose({ tokenIn, tokenOut }: Swap, { route, amountIn, minimumOut, deadline }: SwapPlan): string {
  const sold = `${formatUnits(amountIn, tokenIn.decimals)} ${tokenIn.symbol}`
  if (route.venue === 'wrapped_native') return `exchanges ${sold} for as much ${tokenOut.symbol}`
  const least = `${formatUnits(minimumOut, tokenOut.decimals)} ${tokenOut.symbol}`
  const until = new Date(Number(deadline) * 1_000).toISOString()
  return `swaps ${sold} for at least ${least} on ${route.venue}, until ${until}`
}
