import type { contract } from '../../contract/index.ts'
import { bounds } from '../../contract/shared/limits.ts'
import type { InputOf, OutputOf } from '../../contract/shared/operation.ts'
import { executionEventId } from '../../contract/trading/records.ts'
import { invalid } from '../core/errors.ts'
import type { Handler } from '../core/handler.ts'
import type { Chains, Hex } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import type { Execution, ExecutionFilter, ExecutionMove, ExecutionState } from '../ports/trades.ts'
import { periodOf } from '../values/period.ts'
import { requireChecksum, tokenCalled } from '../values/tokens.ts'
import { noExecution } from './awaited.ts'
import { type PresentNeeds, presentExecution, presentExecutions, statusOf } from './present-execution.ts'

type Needs = PresentNeeds

/** One real trade of the account as it is now, by its id or its key. */
export const getExecution: Handler<typeof contract.trading.getExecution, Needs> = async (ports, input, call) => {
  const { userId } = call.principal
  const { execution_id: id, idempotency_key: key = '' } = input
  const execution = await (id === undefined
    ? ports.executions.findByKey(userId, key)
    : ports.executions.find(userId, id))
  if (execution !== null) return await presentExecution(ports, execution)
  if (id !== undefined) throw noExecution(call.fail)
  throw call.fail(
    'NOT_FOUND',
    'No trade of this key waits or was made; one that was refused or declined frees its key.',
  )
}

/** The account's real trades that match the filters, newest first, a page at a time. */
export const listExecutions: Handler<typeof contract.trading.listExecutions, Needs | 'outbox'> = async (
  ports,
  input,
  call,
) => {
  const { userId } = call.principal
  const { cursor = null, limit = bounds.pageItems } = input
  if (cursor !== null && (await ports.executions.find(userId, cursor)) === null) {
    throw invalid('cursor', 'send next_cursor of an earlier page as it was')
  }
  const { items, next } = await ports.executions.list(userId, { cursor, ...(await filterOf(ports, input)) }, limit)
  return { items: await presentExecutions(ports, items), next_cursor: next }
}

async function filterOf(
  ports: Pick<Ports, 'chains' | 'outbox'>,
  input: InputOf<typeof contract.trading.listExecutions>,
): Promise<Omit<ExecutionFilter, 'cursor'>> {
  const { status, state, agent, tx_hash } = input
  const tokens = input.token === undefined ? undefined : tokensNamed(ports.chains, input.token)
  const isFiltered = [status, state, agent, tokens].some((wanted) => wanted !== undefined)
  const fits: ExecutionFilter['fits'] = (execution) =>
    (status ?? statusOf(execution)) === statusOf(execution) &&
    (state ?? execution.state) === execution.state &&
    (agent ?? execution.agent) === execution.agent &&
    (tokens?.some((token) => token === execution.tokenIn || token === execution.tokenOut) ?? true)
  return {
    ...periodOf(input),
    ...(isFiltered ? { fits } : {}),
    ...(tx_hash === undefined ? {} : { transaction: await transactionOf(ports, tx_hash.toLowerCase() as Hex) }),
  }
}

/** Addresses of the token of a symbol or an address, as executions have them. */
function tokensNamed({ all }: Chains, name: string): Hex[] {
  if (name.startsWith('0x') && !/^0x[0-9a-fA-F]{40}$/.test(name))
    throw invalid('token', 'must be a symbol or an address: 0x and 40 hex digits')
  requireChecksum(name, 'token')
  return [name as Hex, ...all.flatMap((chain) => tokenCalled(chain, name)?.address ?? [])]
}

async function transactionOf({ outbox }: Pick<Ports, 'outbox'>, hash: Hex) {
  const reference = (await outbox.byHash(hash))?.reference
  return { hash, executionId: reference?.kind === 'trade' || reference?.kind === 'revoke' ? reference.id : null }
}

type Event = OutputOf<typeof contract.trading.watchExecution>

/**
 * Every state change of the execution after the last one seen, until its block has the requested finality or the trade
 * has ended.
 */
export const watchExecution: Handler<typeof contract.trading.watchExecution, Needs> = async (ports, input, call) => {
  const { userId } = call.principal
  const found = await ports.executions.find(userId, input.execution_id)
  if (found === null) throw noExecution(call.fail)
  const seen = stepAfter(input.last_event_id, found)
  call.nameStream(found.id)
  return events(ports, { userId, executionId: found.id, until: input.until ?? 'included', seen }, call.signal)
}

type Watched = { userId: number; executionId: string; until: 'included' | 'safe' | 'finalized'; seen: number }

/** True where the requested finality is reached, or no state leads to it any more. */
function isEnough(state: ExecutionState, until: Watched['until']): boolean {
  if (state === 'failed' || state === 'rejected' || state === until || state === 'finalized') return true
  return state === 'safe' && until === 'included'
}

/**
 * The moves that a stream has, and whether it ends with them: at the first after which every state is enough, so that it
 * ends with the same event whenever it is read, also where a block left the chain in between.
 */
function movesUntil(
  moves: readonly ExecutionMove[],
  until: Watched['until'],
): { shown: readonly ExecutionMove[]; isOver: boolean } {
  const last = moves.findLastIndex(({ state }) => !isEnough(state, until))
  return { shown: moves.slice(0, last + 2), isOver: last + 1 < moves.length }
}

async function* events(
  ports: Pick<Ports, Needs>,
  { userId, executionId, until, seen }: Watched,
  signal: AbortSignal,
): AsyncGenerator<Event> {
  let step = seen
  while (!signal.aborted) {
    // Listening starts before reading, so that nothing between the two is missed.
    const waiting = new AbortController()
    const changed = ports.executions.changed(executionId, AbortSignal.any([signal, waiting.signal]))
    try {
      const execution = await ports.executions.find(userId, executionId)
      if (execution === null) return
      const moves = await ports.executions.moves(executionId, Math.max(0, step - 1))
      const { shown, isOver } = movesUntil(moves, until)
      const unseen = shown.filter((move) => move.step > step)
      for (const { step: made, ...move } of unseen) {
        step = made
        yield { id: `${executionId}:${step}`, ...(await presentExecution(ports, { ...execution, ...move })) }
      }
      if (isOver) return
      if (moves.length === 0 && isEnough(execution.state, until)) {
        // The states of an old trade are deleted; its result is not.
        if (step < execution.step)
          yield { id: `${executionId}:${execution.step}`, ...(await presentExecution(ports, execution)) }
        return
      }
      if (unseen.length === 0) await changed
    } finally {
      waiting.abort()
    }
  }
}

/** The step of the last event seen, 0 where there was none; INVALID_ARGUMENT for what is no event of the execution. */
function stepAfter(lastEventId: string | undefined, { id, step }: Execution): number {
  if (lastEventId === undefined || lastEventId === '') return 0
  const seen = Number(executionEventId.exec(lastEventId)?.[1] ?? 0)
  if (lastEventId === `${id}:${seen}` && seen >= 1 && seen <= step) return seen
  throw invalid('last_event_id', `is not the id of an event of this execution, which are ${id}:1 to ${id}:${step}`)
}
