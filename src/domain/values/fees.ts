import type { Fees } from '../ports/chains.ts'
import { formatUnits } from './money.ts'

/** What a block takes at present for a unit of gas, in wei, by the fees that the market asks. */
export function paidPerGas({ maxFeePerGas, maxPriorityFeePerGas }: Fees): bigint {
  // The maximum leaves room for the base fee to double; a gas price is paid as it is.
  return maxPriorityFeePerGas === null ? maxFeePerGas : (maxFeePerGas + maxPriorityFeePerGas) / 2n
}

/** The market's fees without what is above `most` wei for a unit of gas; null is no limit. */
export function feesWithin({ maxFeePerGas, maxPriorityFeePerGas: tip }: Fees, most: bigint | null): Fees {
  const within = (fee: bigint) => (most === null || fee < most ? fee : most)
  return { maxFeePerGas: within(maxFeePerGas), maxPriorityFeePerGas: tip === null ? null : within(tip) }
}

/** Why nothing is sent at the market's fees, in whole sentences; null where a block takes at most `most` wei for a unit of gas. */
export function feeRefusal(market: Fees, most: bigint | null): string | null {
  const asked = paidPerGas(market)
  if (most === null || asked <= most) return null
  return `The chain takes ${gwei(asked)} gwei for each unit of gas, and this gateway pays at most ${gwei(most)} (MAX_FEE_GWEI). Try again when the chain takes less.`
}

/** Wei as text in gwei. */
export function gwei(wei: bigint): string {
  return formatUnits(wei, 9)
}
