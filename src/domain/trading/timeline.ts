import type { contract } from '../../contract/index.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'
import type { Handler } from '../core/handler.ts'
import type { Hex } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import type { AuditedEvent, Execution, ExecutionMove } from '../ports/trades.ts'
import { amountText } from '../values/tokens.ts'
import { noExecution } from './awaited.ts'

type Step = OutputOf<typeof contract.trading.getTimeline>['steps'][number]
type Needs = 'chains' | 'executions'

/** The life of a trade by the audit log, which is never deleted; `safe` by its journal of moves. */
export const getTimeline: Handler<typeof contract.trading.getTimeline, Needs> = async (ports, input, call) => {
  const execution = await ports.executions.find(call.principal.userId, input.execution_id)
  if (execution === null) throw noExecution(call.fail)
  const history = await ports.executions.history(execution)
  const safe = (await movesOf(ports, execution.id)).filter(({ state }) => state === 'safe')
  const steps: Step[] = [
    { step: 'requested', at: execution.createdAt.toISOString(), message: requestedBy(execution) },
    ...stepsOf(ports, execution, history),
    ...safe.map(({ updatedAt }): Step => {
      return { step: 'safe', at: updatedAt.toISOString(), message: 'The block of the trade is safe.' }
    }),
  ]
  // Equal times keep the order in which they were recorded.
  return { steps: steps.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at)) }
}

/** Who requested a trade: the session is known, the label is what it said. */
function requestedBy({ sessionId, agent }: Execution): string {
  const session = sessionId === null ? 'a session that was not recorded' : `session ${sessionId}`
  return `The trade was requested by ${session}, under the label ${agent} of its choice.`
}

async function movesOf({ executions }: Pick<Ports, 'executions'>, id: string): Promise<ExecutionMove[]> {
  const moves: ExecutionMove[] = []
  for (
    let page = await executions.moves(id, 0);
    page.length > 0;
    page = await executions.moves(id, moves.at(-1)?.step ?? 0)
  )
    moves.push(...page)
  return moves
}

/** What is known of a transaction from its signature on. */
type Signed = { what: string; nonce: number }

function stepsOf(ports: Pick<Ports, 'chains'>, execution: Execution, history: readonly AuditedEvent[]): Step[] {
  const signed = new Map<string, Signed>()
  return history.flatMap(({ at, kind, facts }): Step[] => {
    const shown = shownOf(ports, execution, { kind, facts }, signed)
    return shown === null ? [] : [{ at: at.toISOString(), ...shown }]
  })
}

type Recorded = Pick<AuditedEvent, 'kind' | 'facts'>
type Shown = Omit<Step, 'at'> & { at?: string }

/** The step of one record; null where it adds nothing. Remembers each signature in `signed`. */
function shownOf(
  ports: Pick<Ports, 'chains'>,
  execution: Execution,
  { kind, facts }: Recorded,
  signed: Map<string, Signed>,
): Shown | null {
  if (kind === 'quote') return quoted(ports, execution, facts)
  if (kind === 'risk') {
    const flags = (facts.flags as string[]).length === 0 ? '' : ` and the flags ${(facts.flags as string[]).join(', ')}`
    return { step: 'risk', message: `The risk is ${facts.level}, with a score of ${facts.score}${flags}.` }
  }
  if (kind === 'decision' && facts.accepted === false)
    return { step: 'rejected', message: `Nothing was traded. ${facts.reason ?? ''}`.trim() }
  if (kind === 'decision')
    return { step: 'reserved', message: 'The trade passed its checks and got its nonces.', nonce: Number(facts.nonce) }
  if (kind === 'signature') return signature(facts, signed)
  const hash = String(facts.hash ?? '').toLowerCase()
  const known = signed.get(hash)
  const transaction = {
    ...(known === undefined ? {} : { nonce: known.nonce }),
    ...(hash === '' ? {} : { tx_hash: hash }),
  }
  const what = known?.what ?? 'transaction'
  if (kind === 'send')
    return { step: 'broadcast', message: `A node accepted the ${what} after block ${facts.block}.`, ...transaction }
  return { ...result(what, facts), ...transaction }
}

function quoted({ chains }: Pick<Ports, 'chains'>, execution: Execution, facts: AuditedEvent['facts']): Shown {
  const { tokenIn, tokenOut, route } = execution
  const chain = chains.find(execution.chainId)
  const say = (token: Hex, amount: unknown) => amountText(chain, token, BigInt(String(amount)))
  const venue = route === null ? '' : ` on ${route.venue}`
  const message = `Quoted ${say(tokenOut, facts.expected_out)} for ${say(tokenIn, facts.amount_in)}${venue}.`
  return { step: 'quote', at: String(facts.quoted_at), message }
}

const words: Readonly<Record<string, string>> = {
  approve: 'approval',
  swap: 'swap',
  revoke: 'revocation of the approval',
}

function signature(facts: AuditedEvent['facts'], signed: Map<string, Signed>): Shown {
  const { purpose, kind } = facts
  const nonce = Number(facts.nonce)
  const isCancel = purpose !== 'leg'
  const what = isCancel ? 'cancellation' : (words[String(kind)] ?? 'transaction')
  // A nonce that was freed goes to another transaction.
  const earlier = [...signed.values()].find((other) => other.nonce === nonce && other.what === what)
  const hash = String(facts.hash).toLowerCase()
  signed.set(hash, { what, nonce })
  const transaction = { nonce, tx_hash: hash }
  if (isCancel)
    return {
      step: 'cancelled',
      message: `A transaction was signed that uses up nonce ${nonce} and at most ends the approval.`,
      ...transaction,
    }
  return earlier === undefined
    ? { step: 'signed', message: `The ${what} was signed.`, ...transaction }
    : { step: 'replaced', message: `The ${what} was signed again with a higher fee.`, ...transaction }
}

const outcomes: Readonly<Record<string, string>> = {
  reverted: ', which reverted',
  filled: ', which used up its nonce',
}

function result(what: string, { state, outcome, block, error }: AuditedEvent['facts']): Shown {
  if (state === 'finalized') return { step: 'finalized', message: `The block of the ${what} is final.` }
  if (state === 'reorganised') return { step: 'reorganised', message: `The block of the ${what} left the chain.` }
  if (state === 'failed') return { step: 'failed', message: `The ${what} has no effect. ${error ?? ''}`.trim() }
  return { step: 'included', message: `Block ${block} holds the ${what}${outcomes[String(outcome)] ?? ''}.` }
}
