import { deprecationHeaders } from '../contract/shared/deprecation.ts'
import { type ErrorCode, errorTable, unknownApiKey, waistCodes } from '../contract/shared/errors.ts'
import type { RateRules, Tier } from '../contract/shared/limits.ts'
import type { Auth, Operation } from '../contract/shared/operation.ts'
import { authenticate } from '../domain/auth/access.ts'
import { DomainError, isAbortOf, withFacts } from '../domain/core/errors.ts'
import { type AnyHandler, callOf, type Principal } from '../domain/core/handler.ts'
import type { Ports } from '../domain/ports/index.ts'
import type { Limiter } from '../domain/ports/limiter.ts'
import { type Asker, createRateLimits } from './rate-limits.ts'
import {
  eventsWithin,
  type ProtocolName,
  type RequestObserver,
  type TraceParent,
  type WatchedRequest,
} from './request-observer.ts'
import { createStreamPlaces, keyOrAddress } from './stream-quota.ts'
import { outputCheck, parseInput } from './validation.ts'

/** A known API key, by a digest of it: what an attacker learns of `id` is of no use. */
export type ApiKey = { id: string; tier: Tier }

/** What every protocol knows of a request before its input is read. */
export type Caller = {
  protocol: ProtocolName
  /** The bearer token as sent, without the word Bearer. */
  token: string | null
  /** Null where none was sent: the free tier. One that is nobody's is refused, so that no slip passes for that tier. */
  apiKey: ApiKey | 'unknown' | null
  clientAddress: string
  requestId: string
  /** Where the caller's own trace stands; null where it sent none. */
  traceParent: TraceParent | null
  signal: AbortSignal
  /** True where the request provably came from this machine by its own hand; decides operator calls without a token. */
  isLocal(): boolean
}

/** Header names in lower case; gRPC sends them as metadata. */
export type AnswerHeaders = Record<string, string>

export type Failed = { ok: false; error: DomainError; headers: AnswerHeaders }
export type Answer = { ok: true; output: unknown; headers: AnswerHeaders } | Failed
export type Opened = { ok: true; events: AsyncGenerator<unknown, void, undefined>; headers: AnswerHeaders } | Failed

/** Reads the input of a request once its caller is known and counted. Throws DomainError where it cannot be read. */
export type ReadInput = () => unknown

/** The only way from a protocol into the domain: authenticate, limit, validate, run, translate failures. Never throws. */
export type Gateway = {
  call(id: string, read: ReadInput, caller: Caller): Promise<Answer>
  /**
   * Opens a stream: a refusal arrives here, before the first byte; a later failure is thrown by `events` as DomainError,
   * and `headers` then tells when to come back. Whoever opens it must read `events` to the end or `return()` them.
   */
  open(id: string, read: ReadInput, caller: Caller): Promise<Opened>
  /**
   * Counts a request against the node's rate that a protocol answers by itself, such as one for a method of nobody;
   * `code` is what it is answered with, where the rate allows it.
   */
  count(id: string, caller: Caller, code: ErrorCode | 'OK'): Promise<Failed | { ok: true; headers: AnswerHeaders }>
}

export type GatewayParts = {
  operations: ReadonlyMap<string, Operation>
  handlers: ReadonlyMap<string, AnyHandler>
  ports: Ports
  limiter: Limiter
  rules: RateRules | 'off'
  /** Who the operator is, by token; null leaves operator calls to local callers alone. */
  isOperator: ((token: string) => boolean) | null
  observer: RequestObserver
}

const neverAborts = new AbortController().signal

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: its functions share the served operations and their limits
export function createGateway(parts: GatewayParts): Gateway {
  const places = createStreamPlaces()
  const limit = createRateLimits({ ...parts, clock: parts.ports.clock })
  const served = new Map(
    [...parts.operations].flatMap(([id, operation]) => {
      const handler = parts.handlers.get(id)
      return handler === undefined ? [] : [[id, { operation, handler, check: outputCheck(id, operation) }] as const]
    }),
  )
  type Admitted = {
    principal: Principal | null
    run: () => Promise<unknown>
    /** What of an output goes out; INTERNAL where it is not what the contract promises. */
    promised: (output: unknown) => unknown
  }
  type Request = {
    id: string
    caller: Caller
    headers: AnswerHeaders
    watched: WatchedRequest
    /** Number of the caller's account, once it is known. */
    account: number | null
  }

  /** Everything that happens before the handler; fills `headers` as it learns them, so that a refusal has them too. */
  async function admit(request: Request, read: ReadInput): Promise<Admitted> {
    const { id, caller, headers } = request
    const asked = served.get(id)
    if (asked === undefined) throw new DomainError('UNIMPLEMENTED', 'There is no such operation.')
    const { operation, handler, check } = asked
    if (operation.secret === true) headers['cache-control'] = 'no-store'
    if (operation.deprecated !== undefined) Object.assign(headers, deprecationHeaders(operation.deprecated))
    const principal = await identify(operation.auth, caller).catch((refusal: unknown) => {
      limit(operation.rate, askerOf(caller, null), headers)
      throw refusal
    })
    request.account = principal?.userId ?? null
    limit(operation.rate, askerOf(caller, principal), headers)
    const parsed = parseInput(operation.input, read())
    const call = callOf<Operation>({
      principal: principal as never, // the contract's `auth` has decided its type; erased here, typed again in the handler
      requestId: caller.requestId,
      clientAddress: caller.clientAddress,
      keyOrAddress: keyOrAddress(caller),
      tier: tierOf(caller),
      signal: handlerSignal(operation, caller),
      left: caller.signal,
      markReplayed: () => {
        headers['idempotent-replayed'] = 'true'
      },
      nameStream: (streamId) => {
        headers['x-stream-id'] = streamId
      },
      reportFailure: (thrown) => void translate(request, thrown),
    })
    // JSON-RPC answers pass as they are: a node may tell more than the contract knows, and its clients expect that.
    const promised = caller.protocol === 'jsonrpc' ? (output: unknown) => output : check
    return { principal, run: () => handler(parts.ports, parsed, call), promised }
  }

  async function identify(auth: Auth, caller: Caller): Promise<Principal | null> {
    if (caller.apiKey === 'unknown') throw new DomainError('UNAUTHENTICATED', unknownApiKey)
    if (auth !== 'operator') return await authenticate(parts.ports, caller.token, auth)
    const allowed =
      parts.isOperator === null ? caller.isLocal() : caller.token !== null && parts.isOperator(caller.token)
    if (allowed) return null
    const hint =
      parts.isOperator === null
        ? 'set OPERATOR_TOKEN, or call from the machine itself, as JSON and without Origin or forwarding headers'
        : 'send the operator token'
    throw new DomainError('UNAUTHENTICATED', `Only the operator may do this: ${hint}.`)
  }

  /** Turns whatever was thrown into an error the caller may see; what is unexpected is logged and becomes INTERNAL. */
  function translate({ id, caller }: Request, thrown: unknown): DomainError {
    const operation = parts.operations.get(id)
    const codes: readonly ErrorCode[] = operation?.errors ?? []
    const known = thrown instanceof DomainError && (waistCodes.has(thrown.code) || codes.includes(thrown.code))
    if (known && thrown.code !== 'INTERNAL') return thrown
    if (operation !== undefined && isAbortOf(handlerSignal(operation, caller), thrown))
      return new DomainError('CANCELLED', 'The call ended before its answer was ready.', {}, thrown)
    parts.observer.unexpected({ operation: id, requestId: caller.requestId, error: thrown })
    if (known) return thrown
    const sentence = `Something broke on our side; report request id ${caller.requestId}.`
    return new DomainError('INTERNAL', sentence, {}, thrown)
  }

  function refuse(request: Request, thrown: unknown): Failed {
    const error = failed(request, thrown)
    return { ok: false, error, headers: request.headers }
  }

  /** The error of a request, told to the observer; the headers learn when a retry can succeed. */
  function failed(request: Request, thrown: unknown): DomainError {
    const facts = parts.operations.get(request.id)?.refusalFacts
    const known = translate(request, thrown)
    const error = facts === undefined ? known : withFacts(known, facts(known.details, parts.ports.clock.now()))
    const { retryAfterSeconds: wait = errorTable[error.code].retry ? 1 : null } = error.details
    if (wait !== null) request.headers['retry-after'] = String(wait)
    request.watched.finished(error.code, request.account)
    return error
  }

  /** Yields nothing first: once started, it closes the handler's events even where nobody reads one. */
  async function* relay(request: Request, events: AsyncIterable<unknown>, { promised }: Admitted, release: () => void) {
    let ended = false
    try {
      yield null
      for await (const event of eventsWithin(request.watched, events)) yield promised(event)
    } catch (thrown) {
      ended = true
      throw failed(request, thrown)
    } finally {
      release()
      if (!ended) request.watched.finished('OK', request.account)
    }
  }

  /** A request to its answer or refusal; `work` reports its end, for an answered stream goes on. */
  async function attempt<T extends object>(id: string, caller: Caller, work: (request: Request) => Promise<T>) {
    const { protocol, requestId, traceParent } = caller
    const watched = parts.observer.begun({ operation: id, protocol, requestId, traceParent })
    const request: Request = { id, caller, headers: {}, watched, account: null }
    try {
      return { ok: true as const, ...(await watched.run(() => work(request))), headers: request.headers }
    } catch (thrown) {
      return refuse(request, thrown)
    }
  }

  return {
    call: (id, read, caller) =>
      attempt(id, caller, async (request) => {
        const { run, promised } = await admit(request, read)
        const output = promised(await run())
        request.watched.finished('OK', request.account)
        return { output }
      }),
    count: (id, caller, code) =>
      attempt(id, caller, async (request) => {
        limit('node', askerOf(caller, null), request.headers)
        if (caller.apiKey === 'unknown') throw new DomainError('UNAUTHENTICATED', unknownApiKey)
        request.watched.finished(code, request.account)
        return {}
      }),
    open: (id, read, caller) =>
      attempt(id, caller, async (request) => {
        const admitted = await admit(request, read)
        const { opened, release } = await places.hold(caller, admitted.principal, admitted.run)
        request.watched.opened()
        const events = relay(request, opened as AsyncIterable<unknown>, admitted, release) // `Handler` has checked it
        await events.next()
        return { events }
      }),
  }
}

/** The tier of a caller's API key; `free` without one that is known. */
export function tierOf({ apiKey }: Caller): Tier {
  return apiKey === null || apiKey === 'unknown' ? 'free' : apiKey.tier
}

function askerOf(caller: Caller, principal: Principal | null): Asker {
  const key = caller.apiKey === 'unknown' ? undefined : caller.apiKey?.id
  return { account: principal?.userId, key, address: caller.clientAddress, tier: tierOf(caller) }
}

/** What tells a handler that its work is no longer wanted. */
function handlerSignal({ onDisconnect }: Operation, { signal }: Caller): AbortSignal {
  return onDisconnect === 'finish' ? neverAborts : signal
}
