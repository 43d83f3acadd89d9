import { deprecationHeaders } from '../contract/shared/deprecation.ts'
import { unknownApiKey } from '../contract/shared/errors.ts'
import { bounds, type RateClass } from '../contract/shared/limits.ts'
import type { Auth, Operation } from '../contract/shared/operation.ts'
import { DomainError } from '../domain/core/errors.ts'
import { callOf, type TokenHolder } from '../domain/core/handler.ts'
import type { Ports } from '../domain/ports/index.ts'
import { authenticate, prefixAdvice } from './authenticate.ts'
import { countRequest, uncounted } from './count-request.ts'
import { handlerSignal, translate } from './failures.ts'
import { freeMeter, type Requester } from './rate-limits.ts'
import {
  type Caller,
  type Context,
  type GatewayParts,
  type ReadInput,
  type Request,
  type Served,
  tierOf,
} from './request.ts'
import { keyOrAddress } from './stream-quota.ts'
import { outputCheck, parseInput } from './validation.ts'

/** A request that may run. */
export type Admitted = {
  principal: TokenHolder | null
  /** The end of the session of a stream; null for other requests. */
  end: SessionEnd | null
  run: () => Promise<unknown>
  /** Returns the output as the contract declares it. Throws INTERNAL where the output breaks the contract. */
  checkOutput: (output: unknown) => unknown
}

/**
 * What is known of a request before: `holder`, the holder of a session token that was authenticated already; `isPart`, that
 * it is a part of a request that was counted, and that the session may make.
 */
export type Known = { holder?: TokenHolder; isPart?: boolean }

/** The operations that have a handler, by id. */
export function servedOperations({ operations, handlers }: GatewayParts): ReadonlyMap<string, Served> {
  const served = [...operations].flatMap(([id, operation]) => {
    const handler = handlers.get(id)
    return handler === undefined ? [] : [[id, { operation, handler, check: outputCheck(id, operation) }] as const]
  })
  return new Map(served)
}

/** Everything that happens before the handler: authenticate, count against the rates, validate. */
export async function admit(
  context: Context,
  request: Request,
  read: ReadInput,
  { holder, isPart = false }: Known = {},
): Promise<Admitted> {
  const { id, caller, headers } = request
  const served = context.served.get(id)
  if (served === undefined) throw new DomainError('UNIMPLEMENTED', 'The operation is unknown.')
  const { operation, handler, check } = served
  if (operation.secret === true) headers['cache-control'] = 'no-store'
  if (operation.deprecated !== undefined) Object.assign(headers, deprecationHeaders(operation.deprecated))
  const takesKnown = operation.auth === 'session' || operation.auth === 'any'
  const principal = await (holder !== undefined && takesKnown
    ? holder
    : identified(context, request, operation.rate, identify(context, operation.auth, caller)))
  request.account = principal?.userId ?? null
  if (principal !== null) noteUse(context, principal, caller)
  const forbidden = isPart ? null : beyondGrant(id, operation, principal)
  const requester = requesterOf(caller, principal, operation.auth)
  // A refused session takes nothing from the rates by which the account trades.
  const rate = forbidden === null ? operation.rate : 'default'
  const counted = isPart ? uncounted : await countRequest(context, { ...operation, rate }, requester, headers)
  request.settle = counted.settle
  if (forbidden !== null) throw forbidden
  if (principal !== null && caller.ownAddress !== null)
    void context.ports.knownAddresses.note(principal.userId, caller.ownAddress, context.ports.clock.now())
  if (operation.work === true && caller.isForeign === true) throw foreign()
  const meter = operation.work !== undefined ? await context.work(requester, headers) : freeMeter
  request.settle = async (succeeded) => {
    await Promise.all([counted.settle(succeeded), meter.settle()])
  }
  const input = await inputOf(context, request, operation, requester, read)
  await counted.known(input)
  const end = operation.kind === 'stream' ? sessionEnd(context.ports, principal, caller.signal) : null
  const call = callOf<Operation>({
    principal: principal as never, // the contract's `auth` has decided its type; erased here, typed again in the handler
    holder: principal,
    requestId: caller.requestId,
    clientAddress: caller.clientAddress,
    ownAddress: caller.ownAddress,
    keyOrAddress: keyOrAddress(caller),
    tier: tierOf(caller),
    signal: handlerSignal(operation, end?.signal ?? caller.signal),
    disconnected: caller.signal,
    spent: meter.spent,
    markReplayed: () => {
      headers['idempotent-replayed'] = 'true'
    },
    nameStream: (streamId) => {
      headers['x-stream-id'] = streamId
    },
    reportFailure: (thrown) => void translate(context, request, thrown),
  })
  const checkOutput = caller.protocol.checksOutput ? check : (output: unknown) => output
  return { principal, end, run: () => handler(context.ports, input, call), checkOutput }
}

/** Notes what a session was used for, so that its owner sees it; nothing waits for that. */
function noteUse({ ports }: Context, { sessionId, token }: TokenHolder, caller: Caller): void {
  if (sessionId === null) return
  const use = { at: ports.clock.now(), protocol: caller.protocol.name, address: caller.clientAddress }
  ports.sessions.note(sessionId, token.expiresAt, use)
}

/** Reads and checks the input. A refused one counts as work of its caller, by its size. */
async function inputOf(
  { refuse }: Context,
  { caller, headers }: Request,
  operation: Operation,
  requester: Requester,
  read: ReadInput,
): Promise<unknown> {
  let units = 1
  const refused = async <T>(work: () => T): Promise<T> => {
    try {
      return work()
    } catch (refusal) {
      await refuse(requester, headers, Math.max(units, bytesAsWork(caller, Math.ceil)))
      throw refusal
    }
  }
  // A part that fails later is no refused input.
  const sent = await refused(read)
  return await refused(() =>
    parseInput(operation.input, sent, {
      values: operation.values,
      ignoring: (ignored) => {
        headers['x-ignored-fields'] = ignored
      },
      refused: (all) => {
        units = all
      },
    }),
  )
}

/** The units of work as which a refused body counts. A small one with no operation of its own counts as none. */
export function bytesAsWork({ bytes = 0 }: Caller, rounded: (units: number) => number): number {
  return rounded(bytes / bounds.refusedUnit.characters)
}

/** Counts a caller whose identity is refused too, so that guessing tokens costs requests. */
export async function identified<T>(
  { limit }: Context,
  { caller, headers }: Pick<Request, 'caller' | 'headers'>,
  rate: RateClass,
  holder: Promise<T>,
): Promise<T> {
  return await holder.catch(async (refusal: unknown) => {
    await limit(rate, requesterOf(caller, null), headers)
    throw refusal
  })
}

/** A page could otherwise have each of its visitors send reads that cost a node much. */
function foreign(): DomainError {
  return new DomainError(
    'PERMISSION_DENIED',
    'A web page of another origin may not request this by GET. CORS_ORIGINS lists the origins that may; others send POST.',
  )
}

/** PERMISSION_DENIED where the session may not do what the operation needs; null where it may. */
function beyondGrant(id: string, { scope }: Operation, principal: TokenHolder | null): DomainError | null {
  const grant = principal?.grant ?? null
  if (grant === null || scope === 'none') return null
  // An operation that forgot to say what it needs is refused.
  if (scope !== undefined && grant.scopes.includes(scope)) return null
  return new DomainError(
    'PERMISSION_DENIED',
    `${id} needs the scope ${scope}, and this session has only ${grant.scopes.join(', ')}. Start a session with that scope by auth.createSession.`,
  )
}

export async function identify(
  { ports, isOperator }: Context,
  auth: Auth,
  caller: Caller,
): Promise<TokenHolder | null> {
  demandKnownKey(caller)
  if (auth !== 'operator') return await authenticate(ports, caller, auth)
  if (caller.token !== null && isOperator(caller.token)) return null
  throw new DomainError(
    'UNAUTHENTICATED',
    `${prefixAdvice(caller)}This operation is for the operator. Send the operator token as authorization: Bearer. It is OPERATOR_TOKEN, or in operator.token in DATA_DIR.`,
  )
}

/** Refuses an API key that is not configured: UNAUTHENTICATED. */
export function demandKnownKey({ apiKey }: Caller): void {
  if (apiKey === 'unknown') throw new DomainError('UNAUTHENTICATED', unknownApiKey)
}

/** The account, API key, address or token by which the rates count a caller; `auth` is what it was recognised by. */
export function requesterOf(caller: Caller, principal: TokenHolder | null, auth: Auth | null = null): Requester {
  return {
    account: principal?.userId,
    session: principal === null || principal.sessionId === null ? null : principal.grant === null ? 'whole' : 'granted',
    key: caller.apiKey === 'unknown' ? undefined : caller.apiKey?.id,
    address: caller.clientAddress,
    tier: tierOf(caller),
    operator: auth === 'operator' ? 'token' : undefined,
  }
}

/** The end of a caller's session, for its open streams. */
type SessionEnd = {
  /** Aborts with the session, or with the caller. */
  signal: AbortSignal
  /** UNAUTHENTICATED where the session or its token has ended, with the reason; else null. */
  refusal(): DomainError | null
  release(): void
}

const newTokens = 'After auth.login, auth.listSessions gives your sessions new tokens.'

const reasons = {
  tokensEnded: `All tokens of the account were ended: by a new password, a logout everywhere, or its deletion. ${newTokens}`,
  loggedOut: `The token of this stream was logged out. ${newTokens}`,
  deleted: 'The session of this stream was deleted.',
} as const

/** Listens for the end of a caller's session or tokens, by this process or another one. A caller without a token has none. */
function sessionEnd(
  { accounts, sessions }: Pick<Ports, 'accounts' | 'sessions'>,
  principal: TokenHolder | null,
  caller: AbortSignal,
): SessionEnd {
  const ending = new AbortController()
  let reason: string | null = null
  const onLeft = () => ending.abort(caller.reason)
  if (caller.aborted) onLeft()
  caller.addEventListener('abort', onLeft)
  const onOver = (why: string) => () => {
    reason ??= why
    ending.abort()
  }
  const unlisten =
    principal === null
      ? []
      : [
          accounts.onTokensEnded(principal.userId, principal.generation, onOver(reasons.tokensEnded)),
          accounts.onRevoked(principal.token.id, onOver(reasons.loggedOut)),
          ...(principal.sessionId === null ? [] : [sessions.onDeleted(principal.sessionId, onOver(reasons.deleted))]),
        ]
  return {
    signal: ending.signal,
    refusal: () => (reason === null ? null : new DomainError('UNAUTHENTICATED', reason)),
    release() {
      caller.removeEventListener('abort', onLeft)
      for (const each of unlisten) each()
    },
  }
}
