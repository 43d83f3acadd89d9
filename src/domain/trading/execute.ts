import type { contract } from '../../contract/index.ts'
import { invalid } from '../core/errors.ts'
import type { Handler } from '../core/handler.ts'
import { type SimulateNeeds, simulate } from './simulate.ts'
import { type TradeNeeds, trade } from './trade.ts'

/** Simulates a swap, or with `simulate_only` false and `confirm` true trades it, once for each idempotency key. */
export const execute: Handler<typeof contract.trading.execute, SimulateNeeds | TradeNeeds> = async (
  ports,
  input,
  call,
) => {
  const { userId } = call.principal
  if (input.input.simulate_only !== false) return await simulate(ports, userId, input, call.fail)
  // The contract requires these already. They are checked again because a real trade depends on them.
  if (input.confirm !== true) throw invalid('confirm', 'must be true for a real trade')
  const { idempotency_key: key, wallet_ref: walletRef } = input
  if (walletRef === undefined) throw invalid('wallet_ref', 'needed for a real trade')
  if (key === undefined) throw invalid('idempotency_key', 'needed for a real trade')
  const request = { ...input, wallet_ref: walletRef, idempotency_key: key }
  const { answer, replayed } = await trade(ports, userId, request, call.fail)
  if (!replayed) return answer
  call.markReplayed()
  return { ...answer, replayed: true }
}
