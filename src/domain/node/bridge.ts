import type { contract } from '../../contract/index.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'
import { type Fail, invalid } from '../core/errors.ts'
import type { Handler } from '../core/handler.ts'
import type { Bridge, BridgeFacts } from '../ports/bridge.ts'
import type { Hex } from '../ports/chains.ts'
import { type BridgeStep, bridgeStatusOf } from './bridge-status.ts'

type Event = OutputOf<typeof contract.chain.watchBridge>

/** The status of a bridge transfer, by its transaction hash on either chain. */
export const bridgeStatus: Handler<typeof contract.chain.bridgeStatus, 'bridge'> = async ({ bridge }, input, call) =>
  bridgeStatusOf(await factsOf(bridge, input.l1_tx_hash, call.fail))

/** The status of a transfer now and after each further step, until it has ended. */
export const watchBridge: Handler<typeof contract.chain.watchBridge, 'bridge'> = async ({ bridge }, input, call) => {
  const hash = input.l1_tx_hash
  const facts = await factsOf(bridge, hash, call.fail)
  return events(bridge, hash, facts, stepAfter(input.last_event_id, facts), call.signal)
}

async function factsOf(bridge: Bridge, hash: string, fail: Fail<'NOT_FOUND'>): Promise<BridgeFacts> {
  const facts = await bridge.facts(hash as Hex) // the contract's pattern has checked it
  if (facts !== null) return facts
  throw fail(
    'NOT_FOUND',
    'Neither chain has a transfer with this transaction. Check its hash, or try again in a moment.',
  )
}

/** The steps of a transfer in their order. A transfer may skip some. */
const steps: Record<BridgeFacts['direction'], readonly BridgeStep[]> = {
  deposit: ['wait_for_inclusion', 'wait_for_rollup', 'none'],
  withdrawal: ['wait_for_inclusion', 'wait_for_output', 'prove', 'wait_for_maturity', 'finalize', 'none'],
}

async function* events(
  bridge: Bridge,
  hash: string,
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
    // A reorganisation may undo a step or the whole transfer for a while. Until it is back, no event is sent.
    if (step > last) yield { id: `${status.direction}:${step}`, ...status }
    last = Math.max(last, step)
    if (status.state === 'complete' || status.state === 'failed') return
    if ((await ticks.next()).done === true) return
    facts = (await bridge.facts(hash as Hex)) ?? facts
  } while (!signal.aborted)
}

/** The step of the last event that the caller saw, 0 without one; INVALID_ARGUMENT for the id of no such event. */
function stepAfter(lastEventId: string | undefined, { direction }: BridgeFacts): number {
  if (lastEventId === undefined || lastEventId === '') return 0
  const step = steps[direction].findIndex((_, index) => lastEventId === `${direction}:${index + 1}`) + 1
  if (step > 0) return step
  const ids = `${direction}:1 to ${direction}:${steps[direction].length}`
  throw invalid('last_event_id', `is not the id of an event of this transfer; its ids are ${ids}`)
}
