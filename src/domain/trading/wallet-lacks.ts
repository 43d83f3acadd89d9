import { type Hex, type Leg, nativeToken } from '../ports/chains.ts'
import { formatUnits } from '../values/money.ts'
import type { Swap } from '../values/swap.ts'

/** Says how much of the token in the wallet holds where that is too little, else null. */
export async function lackOf({ chain, tokenIn, amountIn }: Swap, wallet: Hex): Promise<string | null> {
  const isNative = tokenIn.address === nativeToken
  const { native, tokens } = await chain.balances(wallet, isNative ? [] : [tokenIn.address])
  const held = isNative ? native : (tokens[0] ?? 0n)
  if (held >= amountIn) return null
  const say = (amount: bigint) => `${formatUnits(amount, tokenIn.decimals)} ${tokenIn.symbol}`
  return `the wallet holds ${say(held)}, and the trade needs ${say(amountIn)}. Trade less, or pay some in.`
}

/** Says how much native currency the wallet has where that cannot pay for the gas of the legs and their value, else null. */
export async function lackOfGas({ chain }: Swap, wallet: Hex, legs: readonly Leg[]): Promise<string | null> {
  const [{ native }, { maxFeePerGas }] = await Promise.all([chain.balances(wallet, []), chain.fees()])
  const needed = legs.reduce((sum, { gas, call }) => sum + gas * maxFeePerGas + call.value, 0n)
  if (native >= needed) return null
  const say = (wei: bigint) => `${formatUnits(wei, 18)} ${chain.info.nativeSymbol}`
  return `the wallet holds ${say(native)}, and with the gas the trade may cost up to ${say(needed)}. Pay some in.`
}
