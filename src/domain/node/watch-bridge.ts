import type { contract } from '../../contract/index.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'
import { invalid } from '../core/errors.ts'
import type { Handler } from '../core/handler.ts'
import type { Bridge, BridgeFacts } from '../ports/bridge.ts'
import type { Hex } from '../ports/chains.ts'
import { type BridgeStep, bridgeStatusOf } from './bridge-status.ts'

type Event = OutputOf<typeof contract.chain.watchBridge>

/** The transfer now, and each time that it has come a step further, until it is over. */
export const watchBridge: Handler<typeof contract.chain.watchBridge, 'bridge'> = async ({ bridge }, input, call) => {
  const hash = input.l1_tx_hash as Hex // the contract's pattern has checked it
  const facts = await bridge.facts(hash)
  if (facts === null)
    throw call.fail(
      'NOT_FOUND',
      'Neither chain knows a transfer with this transaction: check its hash, or wait a moment.',
    )
  return events(bridge, hash, facts, stepAfter(input.last_event_id, facts), call.signal)
}

/** The steps of a transfer in the order in which it takes them, some of which it may skip. */
const steps: Record<BridgeFacts['direction'], readonly BridgeStep[]> = {
  deposit: ['wait_for_inclusion', 'wait_for_rollup', 'none'],
  withdrawal: ['wait_for_inclusion', 'wait_for_output', 'prove', 'wait_for_maturity', 'finalize', 'none'],
}

async function* events(
  bridge: Bridge,
  hash: Hex,
  first: BridgeFacts,
  seen: number,
  signal: AbortSignal,
): AsyncGenerator<Event> {
  let last = seen
  let facts: BridgeFacts | null = first
  const ticks = bridge.ticks(signal)
  do {
    const status = bridgeStatusOf(facts ?? first)
    const step = steps[status.direction].indexOf(status.next_step) + 1
    // A reorganisation may take the transfer a step back, or away, for a while; then the last word stands.
    if (step > last) yield { id: `${status.direction}:${step}`, ...status }
    last = Math.max(last, step)
    if (status.state === 'complete' || status.state === 'failed') return
    if ((await ticks.next()).done === true) return
    facts = (await bridge.facts(hash)) ?? facts
  } while (!signal.aborted)
}

/** The step of the last event seen, 0 where there was none; INVALID_ARGUMENT for what is no event of such a transfer. */
function stepAfter(lastEventId: string | undefined, { direction }: BridgeFacts): number {
  if (lastEventId === undefined || lastEventId === '') return 0
  const step = steps[direction].findIndex((_, index) => lastEventId === `${direction}:${index + 1}`) + 1
  if (step > 0) return step
  const ids = `${direction}:1 to ${direction}:${steps[direction].length}`
  throw invalid('last_event_id', `is not the id of an event of this transfer, which are ${ids}`)
}
