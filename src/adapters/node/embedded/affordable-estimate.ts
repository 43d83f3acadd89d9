import type { NodeObject } from '../../../domain/ports/node.ts'
import type { Mend } from './mend.ts'

/** Gas of a transfer to an account without code. */
const bareTransfer = 21_000n

/** The engine estimates a bare transfer without a look at what its sender has; a call of it looks, and refuses. */
export const affordableEstimate: Mend = async (ask, [call, ...rest], method) => {
  const estimate = String(await ask(method, [call, ...rest]))
  if (BigInt(estimate) === bareTransfer && isPaidFor(call as NodeObject))
    await ask('eth_call', [{ ...(call as NodeObject), gas: estimate }, ...rest])
  return estimate
}

/** Where nobody is named who sends it, nobody has to pay. */
function isPaidFor({ from, value, gasPrice, maxFeePerGas }: NodeObject): boolean {
  if (from === undefined) return false
  return [value, gasPrice, maxFeePerGas].some((amount) => typeof amount === 'string' && BigInt(amount) > 0n)
}
