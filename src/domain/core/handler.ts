import type { commonErrors, ErrorCode } from '../../contract/shared/errors.ts'
import type { Tier } from '../../contract/shared/limits.ts'
import type { ErrorsOf, InputOf, Operation, OutputOf } from '../../contract/shared/operation.ts'
import type { Ports } from '../ports/index.ts'
import { DomainError, type Fail } from './errors.ts'

/** Who calls: the owner of the token, and the session where a session token was sent. */
export type Principal = { userId: number; sessionId: string | null }

/** What an operation's `auth` promises its handler about the caller. */
export type PrincipalOf<O> = O extends { auth: infer Who }
  ? Who extends 'session'
    ? { userId: number; sessionId: string }
    : Who extends 'user' | 'any'
      ? Principal
      : null
  : never

type CommonError = (typeof commonErrors)[number]

/** What a handler knows of the request beside its input; it never learns the protocol. */
export type Call<O> = {
  principal: PrincipalOf<O>
  requestId: string
  /** Address of the client as far as trusted proxies tell it. */
  clientAddress: string
  /** By what a caller without an account is counted: its API key, else its client address. */
  keyOrAddress: string
  /** What the caller's API key stands for; `free` without one. */
  tier: Tier
  /** Aborts when the caller disconnects or its deadline passes, unless the contract says `onDisconnect: 'finish'`. */
  signal: AbortSignal
  /** Aborts when the caller disconnects, whatever the contract says. */
  disconnected: AbortSignal
  /** Makes an error to throw. A code that the operation does not declare does not compile. */
  fail: Fail<ErrorsOf<O> | CommonError>
  /** Marks the answer as a replay of an earlier one; protocols send it as `Idempotent-Replayed: true`. */
  markReplayed(): void
  /** Names the stream before its first event, so that it can be taken up again; sent as `X-Stream-Id`. */
  nameStream(id: string): void
  /** Tells whoever runs the gateway, where it is unexpected, of a failure that no caller waits for. */
  reportFailure(thrown: unknown): void
}

/**
 * One operation's implementation over the ports it names. A stream's promise settles when it is open: a rejection is a
 * refusal, and a failure later is its last event.
 */
export type Handler<O, Needs extends keyof Ports = never> = (
  ports: Pick<Ports, Needs>,
  input: InputOf<O>,
  call: Call<O>,
) => O extends { kind: 'stream' } ? Promise<AsyncIterable<OutputOf<O>>> : Promise<OutputOf<O>>

/** A handler as the gateway keeps it, its types erased; `Handlers` has checked it against the contract. */
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
