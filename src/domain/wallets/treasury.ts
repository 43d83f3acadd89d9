import type { Chain } from '../ports/chains.ts'

/** Seconds of chain time in which a payment is mined or given up: one that no node takes must not hold up those behind it. */
const patienceSeconds = 3_600n

/** Chain time in seconds past which a payment of the treasury, begun now, is given up. */
export async function paymentDeadline(chain: Chain): Promise<bigint> {
  return (await chain.head()).timestamp + patienceSeconds
}
