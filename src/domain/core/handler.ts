import type { commonErrors, ErrorCode } from '../../contract/shared/errors.ts'
import type { Tier } from '../../contract/shared/limits.ts'
import type { ErrorsOf, InputOf, Operation, OutputOf } from '../../contract/shared/operation.ts'
import type { Grant } from '../ports/accounts.ts'
import type { Ports } from '../ports/index.ts'
import { DomainError, type Fail } from './errors.ts'

/**
 * The caller: the owner of the token, the session where a session token was sent, and what that may do; a `grant` of null
 * is everything.
 */
export type Principal = { userId: number; sessionId: string | null; grant: Grant | null }

/** The caller with what its token says of itself, for operations on the account. */
export type TokenHolder = Principal & { generation: number; token: { id: string; expiresAt: Date } }

/** The caller that a handler receives, by the `auth` of its operation. */
export type PrincipalOf<O> = O extends { auth: infer Who }
  ? Who extends 'session'
    ? { userId: number; sessionId: string; grant: Grant | null }
    : Who extends 'user' | 'any'
      ? TokenHolder
      : null
  : never

type CommonError = (typeof commonErrors)[number]

/** The request as a handler sees it, besides its input. The protocol is not part of it. */
export type Call<O> = {
  principal: PrincipalOf<O>
  /** The same with what its token says, for work that ends with the token; null without a token. */
  holder: TokenHolder | null
  requestId: string
  /** The client's address, as the trusted proxies report it. */
  clientAddress: string
  /** The same where it is the client's alone; null behind a proxy that is not trusted, whose callers all share it. */
  ownAddress: string | null
  /** The key by which callers without an account are counted: the API key, else the client's address. */
  keyOrAddress: string
  /** The tier of the caller's API key; `free` without one. */
  tier: Tier
  /** Aborts when the caller disconnects or its deadline passes, unless the contract says `onDisconnect: 'finish'`. */
  signal: AbortSignal
  /** Aborts when the caller disconnects, whatever the contract says. */
  disconnected: AbortSignal
  /** Makes an error to throw. A code that the operation does not declare does not compile. */
  fail: Fail<ErrorsOf<O> | CommonError>
  /** Counts gas that a node used for the caller; from a million on it is counted in addition to the request. */
  spent(gas: number): void
  /** Marks the answer as a replay of an earlier one; protocols send it as `Idempotent-Replayed: true`. */
  markReplayed(): void
  /** Names the stream before its first event, so that it can be resumed; sent as `X-Stream-Id`. */
  nameStream(id: string): void
  /** Logs an unexpected failure for which no caller waits. */
  reportFailure(thrown: unknown): void
}

/**
 * The implementation of one operation over the ports that it names. The promise of a stream settles when it is open: a
 * rejection refuses the request, and a later failure is the last event.
 */
export type Handler<O, Needs extends keyof Ports = never> = (
  ports: Pick<Ports, Needs>,
  input: InputOf<O>,
  call: Call<O>,
) => O extends { kind: 'stream' } ? Promise<AsyncIterable<OutputOf<O>>> : Promise<OutputOf<O>>

/** A handler without its types, for the gateway; `Handlers` has checked them against the contract. */
export type AnyHandler = (ports: Ports, input: unknown, call: Call<Operation>) => Promise<unknown>

/** The handler of every operation of a group, or of the whole contract. */
export type Handlers<Group> = {
  [Key in keyof Group]: Handler<Group[Key], keyof Ports>
}

export function callOf<O>(fields: Omit<Call<O>, 'fail'>): Call<O> {
  return {
    ...fields,
    fail: (code: ErrorCode, message, details, cause) => new DomainError(code, message, details, cause),
  }
}
