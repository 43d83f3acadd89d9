import type { contract } from '../../contract/index.ts'
import type { OutputOf } from '../../contract/operation.ts'
import type { Handler } from '../handler.ts'
import type { Bridge, BridgeFacts } from '../ports/bridge.ts'
import type { Hex } from '../ports/chains.ts'
import { type BridgeStatus, bridgeStatusOf } from './bridge-status.ts'

type Event = OutputOf<typeof contract.chain.watchBridge>

/** The transfer now, and each time that more than its clock has moved, until it is over. */
export const watchBridge: Handler<typeof contract.chain.watchBridge, 'bridge'> = async ({ bridge }, input, call) => {
  const hash = input.l1_tx_hash as Hex // the contract's pattern has checked it
  const facts = await bridge.facts(hash)
  if (facts === null) throw call.fail('NOT_FOUND', 'Neither chain knows a transfer with this transaction.')
  return events(bridge, hash, facts, input.last_event_id, call.signal)
}

async function* events(
  bridge: Bridge,
  hash: Hex,
  first: BridgeFacts,
  seen: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<Event> {
  let last = seen
  let facts: BridgeFacts | null = first
  const ticks = bridge.ticks(signal)
  do {
    const status = bridgeStatusOf(facts ?? first)
    const id = idOf(status)
    if (id !== last) yield { id, ...status }
    last = id
    if (status.state === 'complete' || status.state === 'failed') return
    // A reorganisation may take the transfer back for a while; then the last word stands.
    if ((await ticks.next()).done === true) return
    facts = (await bridge.facts(hash)) ?? facts
  } while (!signal.aborted)
}

/** Names what an event says, so that a reader who comes back is told only what is new. */
function idOf({ state, next_step, confirmations }: BridgeStatus): string {
  return `${state}:${next_step}:${confirmations}`
}
