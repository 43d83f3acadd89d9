import type { z } from 'zod'
import type { ErrorCode } from '../contract/shared/errors.ts'
import type { RateClass } from '../contract/shared/limits.ts'
import type { DomainError } from '../domain/core/errors.ts'
import type { TokenHolder } from '../domain/core/handler.ts'
import { untilAborted } from '../domain/core/until-aborted.ts'
import type { Grant } from '../domain/ports/accounts.ts'
import {
  type Admitted,
  admit,
  bytesAsWork,
  demandKnownKey,
  type Known,
  requesterOf,
  servedOperations,
} from './admit.ts'
import { identifyAgent } from './agents.ts'
import { failed } from './failures.ts'
import { createRateLimits, createWorkLimits } from './rate-limits.ts'
import type { Caller, Context, GatewayParts, ReadByParts, ReadInput, Request, ResponseHeaders } from './request.ts'
import { eventsWithin } from './request-observer.ts'
import { createStreamQuota, type StreamQuota } from './stream-quota.ts'
import { parseInput } from './validation.ts'

type Failed = { ok: false; error: DomainError; headers: ResponseHeaders }
export type Returned = { ok: true; output: unknown; headers: ResponseHeaders } | Failed
type Opened = { ok: true; events: AsyncGenerator<unknown, void, undefined>; headers: ResponseHeaders } | Failed

type Counted = Failed | { ok: true; headers: ResponseHeaders }

/** A session that an agent may use, known for the messages of one request. */
export type Agent = {
  /** The number of its account, the id of its session, and what that may do. */
  account: number
  session: string
  grant: Grant
  call(id: string, read: ReadByParts): Promise<Returned>
  /** Checks the arguments of a tool as inputs are checked, of at most so many values. Throws INVALID_ARGUMENT. */
  parse(schema: z.ZodObject, value: unknown, values?: number): unknown
  /** Counts a message without an operation, as `count` does, but against the account's usual rate. */
  count(id: string, code: ErrorCode | 'OK'): Promise<Counted>
}

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
  count(id: string, caller: Caller, code: ErrorCode | 'OK'): Promise<Counted>
  /**
   * The session of an agent: one with a grant that says from what value on the account confirms its trades. A refusal is
   * counted; the messages of an agent are counted one by one.
   */
  agent(id: string, caller: Caller): Promise<Failed | { ok: true; agent: Agent; headers: ResponseHeaders }>
}

export function createGateway(parts: GatewayParts): Gateway {
  const context: Context = {
    ...parts,
    served: servedOperations(parts),
    limit: createRateLimits({ ...parts, clock: parts.ports.clock }),
    ...createWorkLimits({ ...parts, clock: parts.ports.clock }),
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

  const call = (id: string, read: ReadByParts, caller: Caller, known: Known = {}): Promise<Returned> =>
    attempt(id, caller, async (request) => {
      const part = async (partId: string, input: unknown) => {
        if (context.served.get(id)?.operation.parts?.includes(partId) !== true)
          throw new Error(`${partId} is no part of ${id}.`)
        const returned = await call(partId, () => input, caller, { ...known, isPart: true })
        if (!returned.ok) throw returned.error
        return returned.output
      }
      const { run, checkOutput } = await admit(context, request, () => read(part), known)
      const output = checkOutput(await run())
      request.watched.finished('OK', request.account)
      return { output }
    })

  const count = (id: string, caller: Caller, code: ErrorCode | 'OK', rate: RateClass, known: TokenHolder | null) =>
    attempt(id, caller, async (request) => {
      request.account = known?.userId ?? null
      const requester = requesterOf(caller, known)
      const units = code === 'OK' ? 0 : bytesAsWork(caller, Math.floor)
      if (units > 0) await context.refuse(requester, request.headers, units)
      await context.limit(rate, requester, request.headers)
      demandKnownKey(caller)
      request.watched.finished(code, request.account)
      return {}
    })

  const agentOf = (session: Pick<Agent, 'session' | 'grant'>, holder: TokenHolder, caller: Caller): Agent => ({
    ...session,
    account: holder.userId,
    parse: (schema, value, values) =>
      parseInput(schema, value, {
        values,
        refused: (units) => void context.refuse(requesterOf(caller, holder), {}, units),
      }),
    call: (id, read) => call(id, read, caller, { holder }),
    count: (id, code) => count(id, caller, code, 'default', holder),
  })

  return {
    call: (id, read, caller) => call(id, read, caller),
    count: (id, caller, code) => count(id, caller, code, 'node', null),
    async agent(id, caller) {
      const headers: ResponseHeaders = {}
      try {
        const { holder, ...session } = await identifyAgent(context, { caller, headers })
        return { ok: true, agent: agentOf(session, holder, caller), headers }
      } catch (refusal) {
        // Its messages are observed one by one, so that only a refusal is an event of its own.
        return await attempt(id, caller, async (request) => {
          Object.assign(request.headers, headers)
          throw refusal
        })
      }
    },
    open: (id, read, caller) =>
      attempt(id, caller, async (request) => ({ events: await openStream(context, quota, request, read) })),
  }
}

/** Opens a stream within the caller's quota, up to where its events can be read. */
async function openStream(context: Context, quota: StreamQuota, request: Request, read: ReadInput) {
  const { id, caller } = request
  const { run, checkOutput, principal, end } = await admit(context, request, read)
  const limits = { id, openAtOnce: context.served.get(id)?.operation.openAtOnce }
  const { opened, release } = await quota.hold(caller, principal, limits, run).catch((refusal: unknown) => {
    end?.release()
    throw refusal
  })
  request.watched.opened()
  const events = relay(context, request, opened as AsyncIterable<unknown>, { checkOutput, end }, () => {
    release()
    end?.release()
  })
  await events.next()
  return events
}

/** Yields null first: once started, it closes the handler's events even if no event is ever read. */
async function* relay(
  context: Context,
  request: Request,
  events: AsyncIterable<unknown>,
  { checkOutput, end }: Pick<Admitted, 'checkOutput' | 'end'>,
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
