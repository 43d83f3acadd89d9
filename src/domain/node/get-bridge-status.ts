import type { contract } from '../../contract/index.ts'
import type { Handler } from '../core/handler.ts'
import type { Hex } from '../ports/chains.ts'
import { bridgeStatusOf } from './bridge-status.ts'

/** The status of a bridge transfer, by its transaction hash on either chain. */
export const bridgeStatus: Handler<typeof contract.chain.bridgeStatus, 'bridge'> = async ({ bridge }, input, call) => {
  const facts = await bridge.facts(input.l1_tx_hash as Hex) // the contract's pattern has checked it
  if (facts === null)
    throw call.fail(
      'NOT_FOUND',
      'Neither chain has a transfer with this transaction. Check its hash, or try again in a moment.',
    )
  return bridgeStatusOf(facts)
}
