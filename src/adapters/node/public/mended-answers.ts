import type { NodeObject } from '../../../domain/ports/node.ts'
import { mendedSimulation, quantityOf } from '../mended-objects.ts'

/** Puts right what some public nodes write otherwise than all others; everything else passes as it is. */
export function mendedAnswer(method: string, answer: unknown): unknown {
  const mend = mends[method]
  return mend === undefined || typeof answer !== 'object' || answer === null ? answer : mend(answer)
}

const mends: Readonly<Record<string, (answer: object) => unknown>> = {
  eth_getTransactionReceipt: (answer) => withQuantities(answer as NodeObject),
  eth_getBlockReceipts: (answer) => (answer as NodeObject[]).map(withQuantities),
  eth_simulateV1: (answer) => mendedSimulation(answer as NodeObject[]),
}

/** Some write the time of a receipt's block as a number. */
function withQuantities(receipt: NodeObject): NodeObject {
  return typeof receipt.blockTimestamp === 'number'
    ? { ...receipt, blockTimestamp: quantityOf(receipt.blockTimestamp) }
    : receipt
}
