import type { contract } from '../../contract/index.ts'
import type { Handler } from '../core/handler.ts'
import { haltsInForce } from './halts.ts'

/** The halts in force, the oldest first. */
export const listHalts: Handler<typeof contract.operator.listHalts, 'halts'> = async (ports) =>
  await haltsInForce(ports)
