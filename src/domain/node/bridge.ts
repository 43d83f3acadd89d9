import type { contract } from '../../contract/index.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'
import { type Fail, invalid } from '../core/errors.ts'
import type { Handler } from '../core/handler.ts'
import type { Bridge, BridgeFacts } from '../ports/bridge.ts'
import type { Hex } from '../ports/chains.ts'
import { bridgeStatusOf, statusOf } from './bridge-status.ts'
import { type BridgeStep, type Transfer, transferOf } from './transfer.ts'

type Event = OutputOf<typeof contract.chain.watchBridge>

/** What reading transfers uses of its call. */
type BridgeCall = { spent: (gas: number) => void; fail: Fail<'NOT_FOUND'>; signal: AbortSignal }

/** What reading each transfer after the first counts as: the calls of the portal that it takes, and a search of its logs. */
const gasOfTransfer = 200_000

/** The status of the transfers of a transaction, by its hash on either chain. */
export const bridgeStatus: Handler<typeof contract.chain.bridgeStatus, 'bridge'> = async ({ bridge }, input, call) =>
  bridgeStatusOf(await factsOf(bridge, input.l1_tx_hash, call))

/** The status of the transfers of a transaction now and after each further step of one, until all have ended. */
export const watchBridge: Handler<typeof contract.chain.watchBridge, 'bridge'> = async ({ bridge }, input, call) => {
  const facts = await factsOf(bridge, input.l1_tx_hash, call)
  return events(bridge, input.l1_tx_hash, facts, stepAfter(input.last_event_id, facts), call)
}

async function factsOf(bridge: Bridge, hash: string, call: BridgeCall): Promise<BridgeFacts[]> {
  const facts = await read(bridge, hash, call)
  if (facts.length > 0) return facts
  throw call.fail(
    'NOT_FOUND',
    'Neither chain has a transfer with this transaction. Check its hash, or try again once it is in a block: the transfers of a multicall are known then.',
  )
}

async function read(bridge: Bridge, hash: string, { spent }: BridgeCall): Promise<BridgeFacts[]> {
  const facts = await bridge.facts(hash as Hex) // the contract's pattern has checked it
  spent(Math.max(facts.length - 1, 0) * gasOfTransfer)
  return facts
}

/** The steps of a transfer in their order. A transfer may skip some. */
const steps: Record<BridgeFacts['direction'], readonly BridgeStep[]> = {
  deposit: ['wait_for_inclusion', 'wait_for_rollup', 'none'],
  withdrawal: ['wait_for_inclusion', 'wait_for_output', 'prove', 'wait_for_maturity', 'finalize', 'none'],
}

/** How many transfers one watch reads at each block, on average: it leaves out blocks where there are more. */
const readsPerTick = 50

async function* events(
  bridge: Bridge,
  hash: string,
  first: readonly BridgeFacts[],
  seen: number,
  call: BridgeCall,
): AsyncGenerator<Event> {
  let last = seen
  let facts = first
  const ticks = bridge.ticks(call.signal)
  do {
    const transfers = facts.map(transferOf)
    const status = statusOf(transfers)
    const taken = stepsTaken(transfers)
    const isEnd = status.state === 'complete' || status.state === 'failed'
    // A reorganisation may undo a step or all transfers for a while. Until they are back, no event is sent; but the end
    // is, though fewer transfers may have come back.
    if (taken > last || (isEnd && taken !== last)) yield { id: `${status.direction}:${taken}`, ...status }
    last = Math.max(last, taken)
    if (isEnd) return
    for (let reads = 0; reads < facts.length; reads += readsPerTick) if ((await ticks.next()).done === true) return
    const now = await read(bridge, hash, call)
    if (now.length > 0) facts = now
  } while (!call.signal.aborted)
}

/** The steps that the transfers have taken together. Each further step of one of them is an event. */
function stepsTaken(transfers: readonly Transfer[]): number {
  return transfers.reduce((sum, { direction, next_step }) => sum + steps[direction].indexOf(next_step) + 1, 0)
}

/** The steps up to the last event that the caller saw, 0 without one; INVALID_ARGUMENT for the id of no such event. */
function stepAfter(lastEventId: string | undefined, facts: readonly BridgeFacts[]): number {
  if (lastEventId === undefined || lastEventId === '') return 0
  const direction = facts[0]?.direction ?? 'deposit'
  const most = facts.reduce((sum, one) => sum + steps[one.direction].length, 0)
  const step = Number(/^(?:deposit|withdrawal):([1-9]\d{0,4})$/.exec(lastEventId)?.[1] ?? 0)
  if (step > 0 && step <= most && lastEventId === `${direction}:${step}`) return step
  const ids = `${direction}:1 to ${direction}:${most}`
  throw invalid('last_event_id', `is not the id of an event of this transfer; its ids are ${ids}`)
}
