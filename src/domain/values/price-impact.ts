const pips = 1_000_000n

/**
 * How far a trade falls short of the pools' present price, in whole basis points without the pool fees; rounded down,
 * never negative, at most 10,000. A smallest unit for each pool is allowed for, because each pool rounds down.
 */
export function priceImpactBps(trade: { amountOut: bigint; spotOut: bigint; feePips: readonly number[] }): number {
  const fair = trade.feePips.reduce((amount, fee) => (amount * (pips - BigInt(fee))) / pips, trade.spotOut)
  const lost = fair - trade.amountOut - BigInt(trade.feePips.length)
  return lost <= 0n || fair === 0n ? 0 : Number((lost * 10_000n) / fair)
}

/** What the pools keep of an amount as their fee, in smallest units of the token in; rounded up. */
export function poolFee(amountIn: bigint, feePips: readonly number[]): bigint {
  const scale = pips ** BigInt(feePips.length)
  const kept = feePips.reduce((share, fee) => share * (pips - BigInt(fee)), 1n)
  return (amountIn * (scale - kept) + scale - 1n) / scale
}

/** The least that a trade may yield after slippage; rounded down. */
export function minimumOut(expectedOut: bigint, slippageBps: number): bigint {
  return (expectedOut * BigInt(10_000 - slippageBps)) / 10_000n
}

/**
 * How far a value is from a reference, in basis points of the reference; `slack` is a difference that does not count.
 * From a reference of zero anything is as far as can be.
 */
export function bpsBetween(value: bigint, reference: bigint, slack = 0n): bigint {
  const difference = (value > reference ? value - reference : reference - value) - slack
  if (difference <= 0n) return 0n
  return reference === 0n ? 10_000n : (difference * 10_000n) / reference
}
