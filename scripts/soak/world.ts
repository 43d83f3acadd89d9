import type { OperationId } from '../../src/contract/index.ts'
import type { Client, Event } from '../../test/clients/client.ts'
import type { Clients } from '../../test/clients/clients.ts'
import { rpc } from '../../test/clients/rpc-call.ts'
import type { Gateway } from '../../test/gateway-process.ts'
import { seeded } from '../../test/seeded.ts'
import type { Outcomes } from './outcomes.ts'
import type { Turnstile } from './turnstile.ts'

/** The parts that all traffic and faults of a soak share. */
export type SoakWorld = {
  gateway: Gateway
  dataDir: string
  clients: Clients
  outcomes: Outcomes
  /** The gate for each round of traffic and each fault. */
  turnstile: Turnstile
  seed: number
  /** Aborted when the traffic ends. */
  over: AbortSignal
}

/** Random numbers for one part, so that its actions follow from the seed independently of the others. */
export function numbersOf({ seed }: SoakWorld, part: string): Numbers {
  const random = seeded([...part].reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), seed))
  for (let turn = 0; turn < 8; turn += 1) random() // similar seeds have similar first numbers
  const below = (count: number) => Math.floor(random() * count)
  return {
    random,
    below,
    one<T>(items: readonly T[]): T {
      const item = items[below(items.length)]
      if (item === undefined) throw new Error('There is nothing to choose from.')
      return item
    },
  }
}

export type Numbers = {
  random(): number
  below(count: number): number
  one<T>(items: readonly T[]): T
}

/** Ends a round early; the reason is recorded already. */
export const cutShort = new Error('The rest of the round is left out.')

/** The message of an error, and that of its cause. */
export function wordsOf(error: unknown): string {
  return error instanceof Error && error.cause !== undefined ? `${error}: ${error.cause}` : String(error)
}

type Asked = { client: Client; id: OperationId; input: object; token?: string }

/** The result of a call, which is recorded; an error ends the round. */
// biome-ignore lint/suspicious/noExplicitAny: answers of every operation pass through here
export async function ask({ outcomes }: SoakWorld, { client, id, input, token }: Asked): Promise<any> {
  const seen = { operation: id, protocol: client.protocol, since: performance.now() }
  const outcome = await client.call(id, input, token).catch(wordsOf)
  if (typeof outcome === 'string') {
    outcomes.note({ ...seen, code: 'no answer', words: outcome })
    throw cutShort
  }
  outcomes.note({ ...seen, ...(outcome.ok ? { code: 'OK' } : { code: outcome.code, words: outcome.message }) })
  if (!outcome.ok) throw cutShort
  return outcome.output
}

/** A call that must be refused with the code; it is recorded as its own fault. */
export async function askRefused(
  { outcomes }: SoakWorld,
  { client, id, input, token }: Asked,
  code: string,
  cause: string,
): Promise<void> {
  const seen = { operation: id, protocol: client.protocol, since: performance.now() }
  const outcome = await client.call(id, input, token).catch(wordsOf)
  if (typeof outcome === 'string') outcomes.note({ ...seen, code: 'no answer', words: outcome })
  else if (outcome.ok) outcomes.broken(`${id} over ${client.protocol} took what is ${cause}: ${JSON.stringify(input)}`)
  else outcomes.note({ ...seen, code: outcome.code, words: outcome.message, ...(outcome.code === code && { cause }) })
}

/**
 * The events of a stream, which is recorded when it ends. An error ends the round; a disconnect by the signal does not.
 */
export async function* follow(
  { outcomes }: SoakWorld,
  { client, id, input, token }: Asked,
  signal?: AbortSignal,
): AsyncGenerator<Event, void, undefined> {
  const seen = { operation: id, protocol: client.protocol, since: performance.now() }
  try {
    yield* client.stream(id, input, token, signal)
    outcomes.note({ ...seen, code: 'OK' })
  } catch (error) {
    if (signal?.aborted) return outcomes.note({ ...seen, code: 'OK' })
    const refusal = (error as { refusal?: { code: string } }).refusal
    outcomes.note({ ...seen, code: refusal?.code ?? 'no answer', words: wordsOf(error) })
    throw cutShort
  }
}

/** The result of a JSON-RPC POST, which is recorded; an error ends the round. */
// biome-ignore lint/suspicious/noExplicitAny: answers of every method pass through here
export async function askNode({ outcomes, gateway }: SoakWorld, method: string, ...params: unknown[]): Promise<any> {
  const seen = { operation: method, protocol: 'json-rpc', since: performance.now() }
  const reply = await rpc(gateway.urls.rpc, method, ...params).catch(wordsOf)
  if (typeof reply === 'string') outcomes.note({ ...seen, code: 'no answer', words: reply })
  else if (reply.error !== undefined)
    outcomes.note({ ...seen, code: `${reply.error.code}`, words: reply.error.message })
  else {
    outcomes.note({ ...seen, code: 'OK' })
    return reply.result
  }
  throw cutShort
}

/** Repeats a call until it succeeds, through all faults; for preparations and checks. */
// biome-ignore lint/suspicious/noExplicitAny: answers of every operation pass through here
export async function steadily(work: () => Promise<any>, tries = 40): Promise<any> {
  for (let count = 1; ; count += 1) {
    try {
      return await work()
    } catch (error) {
      if (count === tries) throw error
      await new Promise((resolve) => setTimeout(resolve, 250))
    }
  }
}
