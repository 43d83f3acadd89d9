const pips = 1_000_000n

/**
 * How far a trade is below the pools' current price, in whole basis points without the pool fees: rounded down, from 0 to
 * 10,000. One smallest unit for each pool is not counted, because each pool rounds down.
 */
export function priceImpactBps(trade: { amountOut: bigint; spotOut: bigint; feePips: readonly number[] }): number {
  const fair = trade.feePips.reduce((amount, fee) => (amount * (pips - BigInt(fee))) / pips, trade.spotOut)
  const lost = fair - trade.amountOut - BigInt(trade.feePips.length)
  return lost <= 0n || fair === 0n ? 0 : Number((lost * 10_000n) / fair)
}

/** The pools' fee on an amount, in smallest units of the token in, rounded up. */
export function poolFee(amountIn: bigint, feePips: readonly number[]): bigint {
  const scale = pips ** BigInt(feePips.length)
  const remaining = feePips.reduce((share, fee) => share * (pips - BigInt(fee)), 1n)
  return (amountIn * (scale - remaining) + scale - 1n) / scale
}

/** The minimum that a trade may yield after slippage, rounded down. */
export function minimumOut(expectedOut: bigint, slippageBps: number): bigint {
  return (expectedOut * BigInt(10_000 - slippageBps)) / 10_000n
}

/**
 * The difference of a value from a reference, in basis points of the reference; `slack` is a difference that is ignored.
 * For a reference of zero any other value is 10,000.
 */
export function bpsBetween(value: bigint, reference: bigint, slack = 0n): bigint {
  const difference = (value > reference ? value - reference : reference - value) - slack
  if (difference <= 0n) return 0n
  return reference === 0n ? 10_000n : (difference * 10_000n) / reference
}
