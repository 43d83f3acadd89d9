import type { contract } from '../../contract/index.ts'
import type { Handler } from '../core/handler.ts'
import { haltOf, haltsInForce } from './halts.ts'

/** Lifts one halt; the others stay in force. */
export const resumeTrading: Handler<typeof contract.operator.resumeTrading, 'chains' | 'halts'> = async (
  ports,
  input,
) => {
  await ports.halts.clear(haltOf(ports, input))
  return await haltsInForce(ports)
}
