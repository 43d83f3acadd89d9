import { setTimeout as sleep } from 'node:timers/promises'
import type { OperationId } from '../../../src/contract/index.ts'
import type { CallOptions, Client, Event, Outcome, Refusal } from '../../clients/client.ts'
import type { RpcClient } from '../../clients/json-rpc.ts'
import { must, NotJudged } from './check.ts'

/** How long a stream may take to end that ends by itself. */
const streamMs = 60_000

/** How often to ask again where a refusal by a rate does not say when. */
const mostTries = 60

/** Waits as a refusal by a rate says, until a moment. */
async function waitFor({ retryAfterSeconds, message }: Refusal, until: number, tries: number): Promise<void> {
  const ms = Math.max(retryAfterSeconds ?? 1, 0.2) * 1_000
  if (Date.now() + ms > until || (retryAfterSeconds === undefined && tries > mostTries))
    throw new NotJudged(`the rates do not allow it in time: ${message}`)
  await sleep(ms)
}

/** The outcome of a call; one that a rate refuses is made again when that allows it, until a moment. */
async function patiently(call: () => Promise<Outcome>, until: number): Promise<Outcome> {
  for (let tries = 1; ; tries += 1) {
    const outcome = await call()
    if (outcome.ok || outcome.code !== 'RATE_LIMITED') return outcome
    await waitFor(outcome, until, tries)
  }
}

/**
 * A client that waits where a rate refuses it, until a moment; `NotJudged` where that would be later. A stream that does
 * not end is a `Mismatch`.
 */
export function patientClient(client: Client, until: number): Client {
  return {
    ...client,
    call: (...asked) => patiently(() => client.call(...asked), until),
    async *stream(id, input, token, signal, options) {
      for (let tries = 1; ; tries += 1) {
        const late = AbortSignal.timeout(streamMs)
        const either = signal === undefined ? late : AbortSignal.any([signal, late])
        try {
          yield* client.stream(id, input, token, either, options)
          return mustEnd(late)
        } catch (error) {
          mustEnd(late)
          const refusal = error instanceof Error && 'refusal' in error ? (error.refusal as Refusal) : null
          if (refusal?.code !== 'RATE_LIMITED') throw error
          await waitFor(refusal, until, tries)
        }
      }
    },
  }
}

function mustEnd(late: AbortSignal): undefined {
  must(!late.aborted, () => `The stream did not end in ${streamMs / 1_000} s.`)
}

export function patientRpc(client: RpcClient, until: number): RpcClient {
  return { ...client, call: (...asked) => patiently(() => client.call(...asked), until) }
}

/** How long to wait for events of a stream that goes on by itself. */
const eventsMs = 20_000

/** At most this many events, as many as come in time. A stream that ends sooner has ended. */
export async function eventsInTime(
  client: Client,
  count: number,
  ...[id, input, token, options]: [OperationId, object, string | undefined, CallOptions?]
): Promise<Event[]> {
  const leaving = new AbortController()
  const timer = setTimeout(() => leaving.abort(), eventsMs)
  const events: Event[] = []
  try {
    for await (const event of client.stream(id, input, token, leaving.signal, options)) {
      events.push(event)
      if (events.length === count) break
    }
  } catch (error) {
    if (!leaving.signal.aborted) throw error
  } finally {
    clearTimeout(timer)
    leaving.abort()
  }
  return events
}
