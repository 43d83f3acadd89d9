import { setTimeout as sleep } from 'node:timers/promises'
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

type Asked = { client: Client; id: OperationId; input: object; token?: string }

/** The beginning of the record of a request that is sent now. */
export function sentNow(operation: string, protocol: string) {
  return { operation, protocol, since: performance.now() }
}

/** What is recorded of a response: its error, if any. */
export function codeOf(error: { code: string | number; message: string } | undefined) {
  return error === undefined ? { code: 'OK' } : { code: `${error.code}`, words: error.message }
}

/** What is recorded where there was no response. */
export function noAnswer(thrown: unknown) {
  const words = thrown instanceof Error && thrown.cause !== undefined ? `${thrown}: ${thrown.cause}` : String(thrown)
  return { code: 'no answer', words }
}

/** The outcome of a call; null where there was no response, which is recorded. */
async function outcomeOf({ outcomes }: SoakWorld, { client, id, input, token }: Asked) {
  const seen = sentNow(id, client.protocol)
  const outcome = await client.call(id, input, token).catch((thrown: unknown) => {
    outcomes.note({ ...seen, ...noAnswer(thrown) })
    return null
  })
  return { seen, outcome }
}

/** The result of a call, which is recorded; an error ends the round. */
// biome-ignore lint/suspicious/noExplicitAny: answers of every operation pass through here
export async function ask(world: SoakWorld, asked: Asked): Promise<any> {
  const { seen, outcome } = await outcomeOf(world, asked)
  if (outcome !== null) world.outcomes.note({ ...seen, ...codeOf(outcome.ok ? undefined : outcome) })
  if (!outcome?.ok) throw cutShort
  return outcome.output
}

/** A call that must be refused with the code; it is recorded as its own fault. */
export async function askRefused(world: SoakWorld, asked: Asked, code: string, cause: string): Promise<void> {
  const { seen, outcome } = await outcomeOf(world, asked)
  if (outcome?.ok)
    world.outcomes.broken(
      `${seen.operation} over ${seen.protocol} took what is ${cause}: ${JSON.stringify(asked.input)}`,
    )
  else if (outcome !== null)
    world.outcomes.note({ ...seen, ...codeOf(outcome), ...(outcome.code === code && { cause }) })
}

/**
 * The events of a stream, which is recorded when it ends. An error ends the round; a disconnect by the signal does not.
 */
export async function* follow(
  { outcomes }: SoakWorld,
  { client, id, input, token }: Asked,
  signal?: AbortSignal,
): AsyncGenerator<Event, void, undefined> {
  const seen = sentNow(id, client.protocol)
  try {
    yield* client.stream(id, input, token, signal)
    outcomes.note({ ...seen, code: 'OK' })
  } catch (error) {
    if (signal?.aborted) return outcomes.note({ ...seen, code: 'OK' })
    const refusal = (error as { refusal?: { code: string } }).refusal
    outcomes.note({ ...seen, ...noAnswer(error), ...(refusal && { code: refusal.code }) })
    throw cutShort
  }
}

/** The result of a JSON-RPC POST, which is recorded; an error ends the round. */
// biome-ignore lint/suspicious/noExplicitAny: answers of every method pass through here
export async function askNode({ outcomes, gateway }: SoakWorld, method: string, ...params: unknown[]): Promise<any> {
  const seen = sentNow(method, 'json-rpc')
  const reply = await rpc(gateway.urls.rpc, method, ...params).catch((thrown: unknown) => ({ thrown }))
  outcomes.note({ ...seen, ...('thrown' in reply ? noAnswer(reply.thrown) : codeOf(reply.error)) })
  if ('thrown' in reply || reply.error !== undefined) throw cutShort
  return reply.result
}

/** Repeats a call until it succeeds, through all faults; for preparations and checks. */
// biome-ignore lint/suspicious/noExplicitAny: answers of every operation pass through here
export async function steadily(work: () => Promise<any>, tries = 40): Promise<any> {
  for (let count = 1; ; count += 1) {
    try {
      return await work()
    } catch (error) {
      if (count === tries) throw error
      await sleep(250)
    }
  }
}

/** A kind of traffic: prepared once, then repeated. */
export type Traffic = {
  name: string
  /** Milliseconds between two rounds. */
  pauseMs: number
  begin(world: SoakWorld, numbers: Numbers): Promise<Work>
}

export type Work = {
  round(): Promise<void>
  /** The check after the traffic; throws where it fails. */
  settled?(): Promise<void>
  /** The check of the gateway that was restarted after a kill. */
  restarted?(world: SoakWorld): Promise<void>
}

/** Waits so long, or until the traffic ends. */
export async function pause({ over }: SoakWorld, milliseconds: number): Promise<void> {
  await sleep(Math.max(0, milliseconds), undefined, { signal: over }).catch(() => undefined)
}
