import type { ErrorCode } from '../contract/shared/errors.ts'
import type { DomainError } from '../domain/core/errors.ts'
import { untilAborted } from '../domain/core/until-aborted.ts'
import { type Admitted, admit, demandKnownKey, requesterOf, servedOperations } from './admit.ts'
import { failed } from './failures.ts'
import { createRateLimits, createWorkLimits } from './rate-limits.ts'
import type { Caller, Context, GatewayParts, ReadInput, Request, ResponseHeaders } from './request.ts'
import { eventsWithin } from './request-observer.ts'
import { createStreamQuota } from './stream-quota.ts'

type Failed = { ok: false; error: DomainError; headers: ResponseHeaders }
export type Returned = { ok: true; output: unknown; headers: ResponseHeaders } | Failed
type Opened = { ok: true; events: AsyncGenerator<unknown, void, undefined>; headers: ResponseHeaders } | Failed

/** The only way from a protocol into the domain: authenticate, limit, validate, run, translate failures. Never throws. */
export type Gateway = {
  call(id: string, read: ReadInput, caller: Caller): Promise<Returned>
  /**
   * Opens a stream. A refusal is returned here, before the first byte. `events` throws a later failure as DomainError, and
   * `headers` then has `retry-after`. The protocol must read `events` to the end or call its `return()`.
   */
  open(id: string, read: ReadInput, caller: Caller): Promise<Opened>
  /**
   * Counts a request that a protocol serves by itself, such as a call of an unknown method, against the node's rate.
   * `code` is the code of its response, for the observer.
   */
  count(id: string, caller: Caller, code: ErrorCode | 'OK'): Promise<Failed | { ok: true; headers: ResponseHeaders }>
}

export function createGateway(parts: GatewayParts): Gateway {
  const context: Context = {
    ...parts,
    served: servedOperations(parts),
    limit: createRateLimits({ ...parts, clock: parts.ports.clock }),
    work: createWorkLimits({ ...parts, clock: parts.ports.clock }),
  }
  const quota = createStreamQuota()

  /** Runs a request. `work` reports its end to the observer, because a stream goes on after it was opened. */
  async function attempt<T extends object>(id: string, caller: Caller, work: (request: Request) => Promise<T>) {
    const { protocol, requestId, traceParent } = caller
    const watched = parts.observer.begun({ operation: id, protocol: protocol.name, requestId, traceParent })
    const request: Request = { id, caller, headers: {}, watched, account: null, settle: null }
    try {
      const result = await watched.run(() => work(request))
      await request.settle?.(true)
      return { ok: true as const, ...result, headers: request.headers }
    } catch (thrown) {
      await request.settle?.(false)
      return { ok: false as const, error: failed(context, request, thrown), headers: request.headers }
    }
  }

  return {
    call: (id, read, caller) =>
      attempt(id, caller, async (request) => {
        const { run, checkOutput } = await admit(context, request, read)
        const output = checkOutput(await run())
        request.watched.finished('OK', request.account)
        return { output }
      }),
    count: (id, caller, code) =>
      attempt(id, caller, async (request) => {
        await context.limit('node', requesterOf(caller, null), request.headers)
        demandKnownKey(caller)
        request.watched.finished(code, request.account)
        return {}
      }),
    open: (id, read, caller) =>
      attempt(id, caller, async (request) => {
        const admitted = await admit(context, request, read)
        const { opened, release } = await quota
          .hold(
            caller,
            admitted.principal,
            { id, openAtOnce: context.served.get(id)?.operation.openAtOnce },
            admitted.run,
          )
          .catch((refusal: unknown) => {
            admitted.end?.release()
            throw refusal
          })
        request.watched.opened()
        const events = relay(context, request, opened as AsyncIterable<unknown>, admitted, () => {
          release()
          admitted.end?.release()
        })
        await events.next()
        return { events }
      }),
  }
}

/** Yields null first: once started, it closes the handler's events even if no event is ever read. */
async function* relay(
  context: Context,
  request: Request,
  events: AsyncIterable<unknown>,
  { checkOutput, end }: Admitted,
  release: () => void,
) {
  let ended = false
  try {
    yield null
    const whileOpen = end === null ? events : untilAborted(events, end.signal)
    for await (const event of eventsWithin(request.watched, whileOpen)) yield checkOutput(event)
    const refusal = end?.refusal()
    if (refusal) throw refusal
  } catch (thrown) {
    ended = true
    // What it was doing may fail because its session has ended.
    throw failed(context, request, end?.refusal() ?? thrown)
  } finally {
    release()
    if (!ended) request.watched.finished('OK', request.account)
  }
}
