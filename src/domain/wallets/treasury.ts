import type { Chain } from '../ports/chains.ts'

/** A payment is given up after this time, because one that no node accepts would block the nonces behind it. */
const timeoutSeconds = 3_600n

/** The chain time, in Unix seconds, at which a payment of the treasury that starts now is given up. */
export async function paymentDeadline(chain: Chain): Promise<bigint> {
  return (await chain.head()).timestamp + timeoutSeconds
}
