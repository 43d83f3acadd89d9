import type { contract } from '../../contract/index.ts'
import type { Handler } from '../core/handler.ts'
import { haltOf, haltsInForce } from './halts.ts'

type Needs = 'chains' | 'clock' | 'halts'

/** Stops real trades. A trade that has already reserved its nonce is finished. */
export const haltTrading: Handler<typeof contract.operator.haltTrading, Needs> = async (ports, input) => {
  await ports.halts.set(haltOf(ports, input), ports.clock.now())
  return await haltsInForce(ports)
}
