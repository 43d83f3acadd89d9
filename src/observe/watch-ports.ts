import type { ErrorCode } from '../contract/shared/errors.ts'
import { DomainError } from '../domain/core/errors.ts'
import { referenceText } from '../domain/core/reference.ts'
import type { Assistant, AssistantRequest, TokensUsed } from '../domain/ports/assistant.ts'
import type { Outbox } from '../domain/ports/outbox.ts'
import type { Begun, Executions } from '../domain/ports/trades.ts'
import type { Observer } from './observer.ts'

/** Wraps the executions: the observer is notified of each state. */
export function watchExecutions(executions: Executions, { tradeMoved }: Observer): Executions {
  const watched = <B extends Begun | null>(begun: B): B => {
    if (begun?.created) tradeMoved({ execution: begun.execution.id, state: 'requested' })
    return begun
  }
  return {
    ...executions,
    begin: async (execution) => watched(await executions.begin(execution)),
    beginConfirmed: async (execution, confirmationId) =>
      watched(await executions.beginConfirmed(execution, confirmationId)),
    async discard(executionId, why) {
      const ended = await executions.discard(executionId, why)
      if (ended && why !== undefined) tradeMoved({ execution: executionId, state: 'rejected' })
      return ended
    },
    async endWaiting(of, why) {
      const ended = await executions.endWaiting(of, why)
      for (const execution of ended) tradeMoved({ execution, state: 'rejected' })
      return ended
    },
    async wait(execution, step, after) {
      const waiting = await executions.wait(execution, step, after)
      if (waiting !== null && !('full' in waiting)) tradeMoved({ execution: waiting.id, state: step.move.to })
      return waiting
    },
    async move(execution, steps) {
      const moved = await executions.move(execution, steps)
      if (moved !== null) for (const { move } of steps) tradeMoved({ execution: moved.id, state: move.to })
      return moved
    },
  }
}

/** Wraps the outbox: the observer is notified of reserved nonces, and of transactions that are replaced or given up. */
export function watchOutbox(outbox: Outbox, { tradeMoved, transactionTroubled }: Observer): Outbox {
  return {
    ...outbox,
    async reserve(request) {
      const reserved = await outbox.reserve(request)
      if (request.trade !== undefined && !('refused' in reserved))
        tradeMoved({ execution: request.trade.executionId, state: 'reserved' })
      return reserved
    },
    async change(changes) {
      const written = await outbox.change(changes)
      if (written === null) return null
      for (const [index, { error: why, reference: about }] of written.entries()) {
        const change = changes[index]?.change
        const reference = referenceText(about)
        if (change?.error !== undefined) transactionTroubled({ reference, trouble: 'given up', why })
        else if (change?.move?.to === 'replaced') {
          const trouble = change.attempt?.purpose === 'cancel' ? 'cancelled' : 'replaced'
          transactionTroubled({ reference, trouble, why })
        }
      }
      return written
    },
  }
}

/** Wraps the assistant: the observer is notified of the time of each reply, and of the tokens of each model request. */
export function watchAssistant(assistant: Assistant, { assistantReplied, tokensUsed }: Observer): Assistant {
  const { model } = assistant
  const counting = (request: Pick<AssistantRequest, 'report'>) => (used: TokensUsed) => {
    tokensUsed({ model, ...used })
    request.report(used)
  }
  return {
    ...assistant,
    summarize: (findings, request) => assistant.summarize(findings, { ...request, report: counting(request) }),
    async *reply(request) {
      const began = performance.now()
      let code: ErrorCode | 'OK' = 'OK'
      try {
        yield* assistant.reply({ ...request, report: counting(request) })
      } catch (thrown) {
        code = codeOf(thrown)
        throw thrown
      } finally {
        const seconds = (performance.now() - began) / 1_000
        assistantReplied({ model, code, seconds })
      }
    },
  }
}

/** Wraps the request function of a chain's node: the observer is notified of each call. */
export function watchCalls({ engineAnswered }: Observer) {
  return <Call extends { method: string }>(request: (call: Call) => Promise<unknown>) =>
    (call: Call) =>
      timed(
        () => request(call),
        ({ ok, seconds }) => engineAnswered({ method: call.method, ok, seconds }),
      )
}

/** Runs the work, then passes its outcome and its seconds to `ended`. */
export async function timed<T>(
  work: () => Promise<T>,
  ended: (event: { ok: boolean; code: ErrorCode | 'OK'; seconds: number }) => void,
): Promise<T> {
  const began = performance.now()
  let code: ErrorCode | 'OK' = 'OK'
  try {
    return await work()
  } catch (thrown) {
    code = codeOf(thrown)
    throw thrown
  } finally {
    ended({ ok: code === 'OK', code, seconds: (performance.now() - began) / 1_000 })
  }
}

function codeOf(thrown: unknown): ErrorCode {
  return thrown instanceof DomainError ? thrown.code : 'INTERNAL'
}
