import { type Fees, paidPerGas } from '../ports/chains.ts'
import { formatUnits } from './money.ts'

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

/** A data fee with a quarter on top: the prices of the parent chain may rise before the transaction is mined. */
export function withMargin(dataFee: bigint): bigint {
  return (dataFee * 5n) / 4n
}
