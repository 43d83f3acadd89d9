import { mostTransfers } from '../../contract/chain/services.ts'
import type { contract } from '../../contract/index.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'
import type { BridgeFacts } from '../ports/bridge.ts'
import { type BridgeStep, type Transfer, transferOf } from './transfer.ts'

type BridgeStatus = OutputOf<typeof contract.chain.bridgeStatus>

const progress: readonly Transfer['state'][] = ['pending', 'relaying', 'complete']

/** What somebody can do now, then what is waited for, in the order in which a transfer takes them. */
const urgency: readonly BridgeStep[] = [
  'prove',
  'finalize',
  'wait_for_inclusion',
  'wait_for_rollup',
  'wait_for_output',
  'wait_for_maturity',
  'none',
]

/** The status of the transfers of one transaction: what holds for all of them together, then each. */
export function bridgeStatusOf(facts: readonly BridgeFacts[]): BridgeStatus {
  return statusOf(facts.map(transferOf))
}

/** The status of transfers whose states are derived already. */
export function statusOf(transfers: readonly Transfer[]): BridgeStatus {
  return { ...together(transfers), transfers: mostTelling(transfers), transfers_total: transfers.length }
}

/** The first fifty in their order; where there are more, the completed ones are left out first. */
function mostTelling(transfers: readonly Transfer[]): Transfer[] {
  const open = transfers.filter(({ state }) => state !== 'complete')
  const chosen = new Set([...new Set([...open, ...transfers])].slice(0, mostTransfers))
  return transfers.filter((one) => chosen.has(one))
}

/** One transfer as it is. Of several a field is absent where they differ in it, and nothing else describes them all. */
function together(transfers: readonly Transfer[]): Transfer {
  const [first, ...others] = transfers
  if (first === undefined) throw new Error('a status needs a transfer')
  if (others.length === 0) return first
  const going = transfers.filter(({ state }) => state !== 'failed')
  const seconds = transfers.flatMap(({ estimated_seconds }) => estimated_seconds ?? [])
  const moments = transfers.flatMap(({ updated_at }) => updated_at ?? []).sort()
  // What a deposit's call withdraws is the same ether again.
  const counted = transfers.filter(({ direction }) => direction === first.direction)
  const amounts = counted.flatMap(({ amount }) => (amount === undefined ? [] : BigInt(amount)))
  const newest = moments.at(-1)
  return {
    direction: first.direction,
    state: progress.find((state) => going.some((one) => one.state === state)) ?? 'failed',
    ...shared(transfers, 'from_address'),
    ...shared(transfers, 'to_address'),
    ...(amounts.length === counted.length && { amount: amounts.reduce((sum, one) => sum + one, 0n).toString() }),
    below_minimum: transfers.some(({ below_minimum }) => below_minimum),
    confirmations: Math.min(...transfers.map(({ confirmations }) => confirmations)),
    next_step: urgency.find((step) => transfers.some(({ next_step }) => next_step === step)) ?? 'none',
    ...(seconds.length > 0 && { estimated_seconds: Math.max(...seconds) }),
    ...shared(transfers, 'l1_tx_hash'),
    ...shared(transfers, 'l2_tx_hash'),
    ...shared(transfers, 'withdrawal_hash'),
    ...shared(transfers, 'l1_block_number'),
    ...shared(transfers, 'l2_block_number'),
    ...failures(transfers),
    ...(newest !== undefined && { updated_at: newest }),
  }
}

/** The field where it is the same in all. */
function shared<Field extends keyof Transfer>(transfers: readonly Transfer[], field: Field): Partial<Transfer> {
  const [value, ...others] = new Set(transfers.map((one) => one[field]))
  return value === undefined || others.length > 0 ? {} : { [field]: value }
}

function failures(transfers: readonly Transfer[]): Pick<Transfer, 'error'> {
  const failed = transfers.filter(({ state }) => state === 'failed')
  if (failed.length === 0) return {}
  const reasons = [...new Set(failed.map(({ error }) => error))]
  return { error: `${failed.length} of ${transfers.length} failed. ${reasons.join(' ')}` }
}
