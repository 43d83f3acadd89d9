import type { OperationId } from '../../src/contract/index.ts'

export type Protocol = 'rest' | 'trpc' | 'grpc'

type Violation = { path: string; message: string; code: string }

/** A refusal, the same on every protocol. */
export type Refusal = {
  ok: false
  /** The HTTP status, or gRPC's number. */
  status: number
  code: string
  message: string
  violations: Violation[]
  retryAfterSeconds?: number
  requestId?: string
  /** Facts for programs. */
  metadata?: Record<string, string>
  headers: Record<string, string>
}

/** A caller's result, the same on every protocol. `headers` have lower-case names; gRPC's are its metadata. */
export type Outcome = { ok: true; output: unknown; headers: Record<string, string> } | Refusal

export type CallOptions = { requestId?: string; headers?: Record<string, string> }

/** A client of one protocol. It uses the published contract, and nothing of the server's code. */
export type Client = {
  protocol: Protocol
  call(id: OperationId, input: object, token?: string, options?: CallOptions): Promise<Outcome>
  /** The events of a stream until it ends. A refusal, before or during the stream, is thrown; `refusalOf` reads it. */
  stream(
    id: OperationId,
    input: object,
    token?: string,
    signal?: AbortSignal,
    options?: CallOptions,
  ): AsyncGenerator<Event, void, undefined>
  close(): void
}

/** An event of any stream, as a test reads it. */
// biome-ignore lint/suspicious/noExplicitAny: events of every operation pass through here
export type Event = any

/** An error with the refusal of a stream. */
export function streamRefused(refusal: Refusal): Error {
  return Object.assign(new Error(`${refusal.code}: ${refusal.message}`), { refusal })
}

/** The refusal that ends a stream, before or after its first event. Throws where the stream ends without one. */
export async function refusalOf(events: AsyncIterable<unknown>): Promise<Refusal> {
  try {
    for await (const _ of events);
  } catch (error) {
    if (error instanceof Error && 'refusal' in error) return error.refusal as Refusal
    throw error
  }
  throw new Error('The stream ended without a refusal.')
}

/** Every event of a stream. */
export async function eventsOf(events: AsyncIterable<Event>): Promise<Event[]> {
  return await Array.fromAsync(events)
}

/** The output of a call that must succeed. */
// biome-ignore lint/suspicious/noExplicitAny: answers of every operation pass through here, with fields as tests know them
export async function output(asked: Promise<Outcome>): Promise<any> {
  const outcome = await asked
  if (!outcome.ok) throw new Error(`${outcome.code}: ${outcome.message} ${JSON.stringify(outcome.violations)}`)
  return outcome.output
}
