import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { type Client, type Event, output, type Protocol } from '../clients/client.ts'
import { operatorToken } from '../operator-token.ts'

type Clients = Record<Protocol, Client>

/** What a reader received in its order, the cuts that it made, and the connections that a kill broke. */
export type Reading = { seen: Event[]; cuts: number; broken: number }

export type Reader = {
  token: string
  random(): number
  /** The clients of the running gateway; null from before it is killed until it runs again. */
  door(): Clients | null
  /** The id of the event to read to; null while it is unknown. */
  lastId(): string | null
}

const protocols: readonly Protocol[] = ['rest', 'trpc', 'grpc']
const longestAbsenceMs = 20_000
/** The longest time from when the last id is known to its event. */
const mostMsToLast = 60_000

/**
 * Reads `trading.watchAccount` through cuts at random places and kills of the gateway, each time on another protocol from
 * the last event on. Throws where a stream ends by itself.
 */
export async function readThroughCuts({ token, random, door, lastId }: Reader): Promise<Reading> {
  const reading: Reading = { seen: [], cuts: 0, broken: 0 }
  const hasEnded = () => lastId() !== null && reading.seen.some(({ id }) => id === lastId())
  let protocol = Math.floor(random() * 3)
  let deadline = Number.POSITIVE_INFINITY
  while (!hasEnded() && Date.now() < deadline) {
    if (lastId() !== null) deadline = Math.min(deadline, Date.now() + mostMsToLast)
    const clients = door()
    if (clients === null) {
      await sleep(20)
      continue
    }
    protocol = (protocol + 1 + Math.floor(random() * 2)) % 3
    const failure = await readToCut(clients[protocols[protocol]!], token, random, reading.seen)
    if (failure === null) reading.cuts += 1
    else if (door() === clients) throw failure
    else reading.broken += 1
    // More can happen meanwhile than storage reads at once.
    if (random() < 0.01 && lastId() === null) await sleep(random() * longestAbsenceMs)
  }
  return reading
}

/** Resumes, and cuts after some events or some time; returns why the stream ended where it was not by the cut. */
async function readToCut(client: Client, token: string, random: () => number, seen: Event[]): Promise<Error | null> {
  const cut = new AbortController()
  const mostEvents = 1 + Math.floor(random() ** 3 * 250)
  const mostMs = random() < 0.5 ? random() * 60 : random() * 2_000
  const { input, headers } = resumption(client.protocol, seen.at(-1)?.id, random() < 0.5)
  const timer = setTimeout(() => cut.abort(), mostMs)
  const had = seen.length
  try {
    for await (const event of client.stream('trading.watchAccount', input, token, cut.signal, { headers })) {
      seen.push(event)
      if (seen.length - had === mostEvents) cut.abort()
      if (cut.signal.aborted) return null
    }
    return cut.signal.aborted ? null : new Error(`The stream over ${client.protocol} ended by itself.`)
  } catch (failure) {
    return cut.signal.aborted ? null : (failure as Error)
  } finally {
    clearTimeout(timer)
    cut.abort()
  }
}

/** The last id as the field that every protocol has, or as the protocol's own. */
function resumption(protocol: Protocol, id: string | undefined, own: boolean) {
  const none = { input: {}, headers: {} }
  if (id === undefined) return none
  if (own && protocol === 'trpc') return { ...none, input: { lastEventId: id } }
  if (own && protocol === 'rest') return { ...none, headers: { 'last-event-id': id } }
  return { ...none, input: { last_event_id: id } }
}

/** Halts all trades and lifts that, so that the last event has an id that can be asked for. Returns that id. */
export async function endWithHalt({ rest }: Clients, token: string): Promise<string> {
  await output(rest.call('operator.haltTrading', { scope: 'global' }, operatorToken))
  await output(rest.call('operator.resumeTrading', { scope: 'global' }, operatorToken))
  for await (const { id } of rest.stream('trading.watchAccount', { from: 'now' }, token)) return id
  throw new Error('The stream ended before its first event.')
}

/** All events from the start up to the one with the id, without a cut. */
export async function readWhole(client: Client, token: string, lastId: string): Promise<Event[]> {
  const events: Event[] = []
  for await (const event of client.stream('trading.watchAccount', {}, token)) {
    events.push(event)
    if (event.id === lastId) return events
  }
  throw new Error('The stream ended by itself.')
}

/** Events lost, received again, and others or out of order; `explained` are those whose message became longer since. */
export type Tally = { lost: number; doubled: number; wrong: number; explained: number }

/** Compares what a reader received with the whole stream, and prints each wrong event. */
export function compareWith(truth: readonly Event[], seen: readonly Event[]): Tally {
  const places = new Map(truth.map((event, place) => [event.id, { event, place }]))
  const received = new Set<string>()
  const tally = { lost: 0, doubled: 0, wrong: 0, explained: 0 }
  let last = -1
  for (const event of seen) {
    const { event: known, place } = places.get(event.id) ?? { event: undefined, place: -1 }
    if (received.has(event.id)) tally.doubled += 1
    else if (place <= last || !isDeepStrictEqual(withMessageOf(event, known), known)) {
      tally.wrong += 1
      console.error('received', event, 'instead of', known)
    } else if (event.execution?.message !== known.execution?.message) tally.explained += 1
    received.add(event.id)
    last = Math.max(last, place)
  }
  tally.lost = truth.filter(({ id }) => !received.has(id)).length
  return tally
}

/** The event with the message of the known one where that only adds sentences: why the trade waits is found out later. */
function withMessageOf(event: Event, known: Event | undefined): Event {
  const [message, later] = [event.execution?.message, known?.execution?.message]
  if (message === undefined || !later?.startsWith(`${message} `)) return event
  return { ...event, execution: { ...event.execution, message: later } }
}

/** What was seen up to the event with the id: a reader may have received more before it knew the id. */
export function upTo(seen: readonly Event[], lastId: string): Event[] {
  return seen.slice(0, seen.findLastIndex(({ id }) => id === lastId) + 1)
}
