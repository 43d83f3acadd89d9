import { setTimeout as sleep } from 'node:timers/promises'
import type { Client, Outcome, Refusal } from '../../clients/client.ts'
import type { RpcClient } from '../../clients/json-rpc.ts'
import { must, NotJudged } from './check.ts'

/** How long a stream may take to end that ends by itself. */
const streamMs = 60_000

/** Waits as a refusal by a rate says, until a moment. */
async function waitFor({ retryAfterSeconds = 1, message }: Refusal, until: number): Promise<void> {
  const ms = Math.max(retryAfterSeconds, 0.2) * 1_000
  if (Date.now() + ms > until) throw new NotJudged(`the rates do not allow it in time: ${message}`)
  await sleep(ms)
}

/** The outcome of a call; one that a rate refuses is made again when that allows it, until a moment. */
async function patiently(call: () => Promise<Outcome>, until: number): Promise<Outcome> {
  for (;;) {
    const outcome = await call()
    if (outcome.ok || outcome.code !== 'RATE_LIMITED') return outcome
    await waitFor(outcome, until)
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
      for (;;) {
        const late = AbortSignal.timeout(streamMs)
        const either = signal === undefined ? late : AbortSignal.any([signal, late])
        try {
          yield* client.stream(id, input, token, either, options)
          return mustEnd(late)
        } catch (error) {
          mustEnd(late)
          const refusal = error instanceof Error && 'refusal' in error ? (error.refusal as Refusal) : null
          if (refusal?.code !== 'RATE_LIMITED') throw error
          await waitFor(refusal, until)
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
