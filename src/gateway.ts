import { commonErrors, type ErrorCode, errorTable } from './contract/errors.ts'
import type { RateClass, RateRule } from './contract/limits.ts'
import type { Auth, Operation } from './contract/operation.ts'
import { authenticate } from './domain/auth/access.ts'
import { DomainError } from './domain/errors.ts'
import { type AnyHandler, callOf, type Principal } from './domain/handler.ts'
import type { Limiter } from './domain/ports/limiter.ts'
import type { Ports } from './domain/ports.ts'
import { parseInput } from './validation.ts'

/** What every protocol knows of a request before its input is read. */
export type Caller = {
  protocol: 'rest' | 'trpc' | 'grpc' | 'jsonrpc'
  /** The bearer token as sent, without the word Bearer. */
  token: string | null
  clientAddress: string
  requestId: string
  signal: AbortSignal
  /** True where the request provably came from this machine by its own hand; decides operator calls without a token. */
  local: boolean
}

/** Header names in lower case; gRPC sends them as metadata. */
export type AnswerHeaders = Record<string, string>

export type Failed = { ok: false; error: DomainError; headers: AnswerHeaders }
export type Answer = { ok: true; output: unknown; headers: AnswerHeaders } | Failed
export type Opened = { ok: true; events: AsyncGenerator<unknown, void, undefined>; headers: AnswerHeaders } | Failed

/** The only way from a protocol into the domain: authenticate, limit, validate, run, translate failures. Never throws. */
export type Gateway = {
  call(id: string, input: unknown, caller: Caller): Promise<Answer>
  /** Opens a stream: a refusal arrives here, before the first byte; a later failure is thrown by `events` as DomainError. */
  open(id: string, input: unknown, caller: Caller): Promise<Opened>
}

/** What the gateway tells whoever watches it; called once a request, never throws. */
export type RequestObserver = {
  finished(event: {
    operation: string
    protocol: Caller['protocol']
    code: ErrorCode | 'OK'
    seconds: number
    requestId: string
  }): void
  unexpected(event: { operation: string; requestId: string; error: unknown }): void
}

export type GatewayParts = {
  operations: ReadonlyMap<string, Operation>
  handlers: ReadonlyMap<string, AnyHandler>
  ports: Ports
  limiter: Limiter
  rules: Record<RateClass, RateRule> | 'off'
  /** Who the operator is, by token; null leaves operator calls to local callers alone. */
  isOperator: ((token: string) => boolean) | null
  observer: RequestObserver
}

/** Codes that the waist itself or a lost caller can cause on any operation. */
const waistCodes: ReadonlySet<ErrorCode> = new Set([
  ...commonErrors,
  'UNIMPLEMENTED',
  'CANCELLED',
  'DEADLINE_EXCEEDED',
  'PERMISSION_DENIED',
  'NOT_FOUND',
])

const neverAborts = new AbortController().signal

export function createGateway(parts: GatewayParts): Gateway {
  type Admitted = { operation: Operation; run: () => Promise<unknown> }

  /** Everything that happens before the handler; fills `headers` as it learns them, so that a refusal has them too. */
  async function admit(id: string, input: unknown, caller: Caller, headers: AnswerHeaders): Promise<Admitted> {
    const operation = parts.operations.get(id)
    const handler = parts.handlers.get(id)
    if (operation === undefined || handler === undefined)
      throw new DomainError('UNIMPLEMENTED', `There is no operation ${id}.`)
    if (operation.secret === true) headers['cache-control'] = 'no-store'
    const principal = await identify(operation.auth, caller).catch((refusal: unknown) => {
      limit(operation.rate, null, caller, headers)
      throw refusal
    })
    limit(operation.rate, principal, caller, headers)
    const parsed = parseInput(operation.input, input)
    const call = callOf<Operation>({
      principal: principal as never, // the contract's `auth` has decided its type; erased here, typed again in the handler
      requestId: caller.requestId,
      clientAddress: caller.clientAddress,
      signal: operation.onDisconnect === 'finish' ? neverAborts : caller.signal,
      markReplayed: () => {
        headers['idempotent-replayed'] = 'true'
      },
    })
    return { operation, run: () => handler(parts.ports, parsed, call) }
  }

  async function identify(auth: Auth, caller: Caller): Promise<Principal | null> {
    if (auth !== 'operator') return await authenticate(parts.ports, caller.token, auth)
    const allowed = parts.isOperator === null ? caller.local : caller.token !== null && parts.isOperator(caller.token)
    if (allowed) return null
    const hint =
      parts.isOperator === null ? 'set OPERATOR_TOKEN, or call from the machine itself' : 'send the operator token'
    throw new DomainError('UNAUTHENTICATED', `Only the operator may do this: ${hint}.`)
  }

  function limit(rate: RateClass, principal: Principal | null, caller: Caller, headers: AnswerHeaders): void {
    if (parts.rules === 'off') return
    const rule = parts.rules[rate]
    const key =
      rule.per === 'account' && principal !== null ? `account:${principal.userId}` : `address:${caller.clientAddress}`
    const taken = parts.limiter.take(rate, rule, key, parts.ports.clock.now())
    headers['x-ratelimit-limit'] = String(taken.limit)
    headers['x-ratelimit-remaining'] = String(taken.remaining)
    headers['x-ratelimit-reset'] = String(Math.ceil(taken.resetAt.getTime() / 1_000))
    if (taken.allowed) return
    throw new DomainError(
      'RATE_LIMITED',
      `More than ${rule.limit} requests in ${rule.windowSeconds} s; try again in ${taken.retryAfterSeconds} s.`,
      {
        retryAfterSeconds: taken.retryAfterSeconds,
      },
    )
  }

  /** Turns whatever was thrown into an error the caller may see; what is unexpected is logged and becomes INTERNAL. */
  function translate(id: string, thrown: unknown, caller: Caller): DomainError {
    const declared = parts.operations.get(id)?.errors ?? []
    if (thrown instanceof DomainError && (waistCodes.has(thrown.code) || declared.includes(thrown.code))) {
      if (thrown.code === 'INTERNAL')
        parts.observer.unexpected({ operation: id, requestId: caller.requestId, error: thrown })
      return thrown
    }
    if (caller.signal.aborted)
      return new DomainError('CANCELLED', 'The caller went away before the answer.', {}, thrown)
    parts.observer.unexpected({ operation: id, requestId: caller.requestId, error: thrown })
    return new DomainError(
      'INTERNAL',
      `Something broke on our side; report request id ${caller.requestId}.`,
      {},
      thrown,
    )
  }

  function promised(operation: Operation, id: string, output: unknown): unknown {
    const checked = operation.output.safeParse(output)
    if (checked.success) return checked.data
    throw new DomainError('INTERNAL', `The answer of ${id} broke its own contract.`, {}, checked.error)
  }

  function refuse(id: string, thrown: unknown, caller: Caller, headers: AnswerHeaders): Failed {
    const error = translate(id, thrown, caller)
    const wait = error.details.retryAfterSeconds ?? (errorTable[error.code].retry ? 1 : null)
    if (wait !== null && error.code !== 'INTERNAL') headers['retry-after'] = String(wait)
    return { ok: false, error, headers }
  }

  function timed(id: string, caller: Caller): (code: ErrorCode | 'OK') => void {
    const start = performance.now()
    return (code) =>
      parts.observer.finished({
        operation: id,
        protocol: caller.protocol,
        code,
        seconds: (performance.now() - start) / 1_000,
        requestId: caller.requestId,
      })
  }

  async function* relay(
    operation: Operation,
    id: string,
    events: AsyncIterable<unknown>,
    caller: Caller,
    done: (code: ErrorCode | 'OK') => void,
  ) {
    let code: ErrorCode | 'OK' = 'OK'
    try {
      for await (const event of events) yield promised(operation, id, event)
    } catch (thrown) {
      const error = translate(id, thrown, caller)
      code = error.code
      throw error
    } finally {
      done(code)
    }
  }

  return {
    async call(id, input, caller) {
      const headers: AnswerHeaders = {}
      const done = timed(id, caller)
      try {
        const { operation, run } = await admit(id, input, caller, headers)
        const output = promised(operation, id, await run())
        done('OK')
        return { ok: true, output, headers }
      } catch (thrown) {
        const refusal = refuse(id, thrown, caller, headers)
        done(refusal.error.code)
        return refusal
      }
    },
    async open(id, input, caller) {
      const headers: AnswerHeaders = {}
      const done = timed(id, caller)
      try {
        const { operation, run } = await admit(id, input, caller, headers)
        const events = (await run()) as AsyncIterable<unknown> // a stream's handler answers an iterable; `Handler` has checked it
        return { ok: true, events: relay(operation, id, events, caller, done), headers }
      } catch (thrown) {
        const refusal = refuse(id, thrown, caller, headers)
        done(refusal.error.code)
        return refusal
      }
    },
  }
}
