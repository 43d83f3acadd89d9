import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { type Client, type Event, eventsOf, output, type Protocol } from '../clients/client.ts'
import { seeded } from '../seeded.ts'
import { piecesOf, questionOf } from './slow-script.ts'

/** Clients of the running gateway; null while it restarts. */
export type Door = () => Promise<Record<Protocol, Client>>

/** The result over all cuts: events missed, doubled or wrong; `killed` counts answers that ended with the gateway. */
export type CutTally = { answers: number; killed: number; cuts: number; lost: number; repeated: number; wrong: number }

const protocols = ['rest', 'trpc', 'grpc'] as const

/** The question, and the text that must be received; null where it is unknown beforehand. */
export type Questions = { questionOf(random: () => number): string; wholeOf(question: string): string | null }

const slowQuestions: Questions = {
  questionOf: (random) => questionOf(Math.floor(random() * 1e6), 10 + Math.floor(random() * 30)),
  wholeOf: (question) => piecesOf(question).join(''),
}

/**
 * Requests answers in a session, one after another, and reads each through cuts at random places, from protocol to
 * protocol, until so many cuts are made. Everything random follows from the seed.
 */
export async function readThroughCuts(
  door: Door,
  token: string,
  seed: number,
  atLeast: number,
  questions = slowQuestions,
): Promise<CutTally> {
  const random = seeded(seed)
  const tally: CutTally = { answers: 0, killed: 0, cuts: 0, lost: 0, repeated: 0, wrong: 0 }
  while (tally.cuts < atLeast) {
    const question = questions.questionOf(random)
    const read = await readOne(door, token, question, random)
    if (read === null) continue // the gateway was killed before the answer began
    const truth = await steadily(door, async ({ rest }) =>
      eventsOf(toItsError(rest.stream('chat.resume', { stream_id: read.streamId, events: true }, token))),
    )
    const { messages } = await steadily(door, ({ rest }) => output(rest.call('chat.history', { limit: 1 }, token)))
    const ids = read.seen.map(({ id }) => id)
    const received = new Set(ids)
    tally.answers += 1
    tally.cuts += read.cuts
    tally.lost += truth.filter(({ id }) => !received.has(id)).length
    tally.repeated += ids.length - received.size
    const failed = truth.at(-1)?.event === 'error'
    if (failed) tally.killed += 1
    if (!isTrue(read.seen, truth, questions.wholeOf(question), failed, messages[0])) tally.wrong += 1
  }
  return tally
}

/** Whether the received events equal the stored ones and the history. */
function isTrue(seen: Event[], truth: Event[], known: string | null, failed: boolean, stored: Event): boolean {
  const text = seen.map(({ content }) => content).join('')
  const whole = known ?? text
  if (!isDeepStrictEqual(seen, truth)) return false
  if (!failed) return text === whole && stored.content === text && stored.incomplete === undefined
  return whole.startsWith(text) && (text === '' || (stored.content === text && stored.incomplete === 'failed'))
}

type Read = { streamId: string; seen: Event[]; cuts: number }

/** Reads one answer to its end; null where it never began. */
async function readOne(door: Door, token: string, question: string, random: () => number): Promise<Read | null> {
  const request = { messages: [{ role: 'user', content: question }], events: true }
  const read: Read = { streamId: '', seen: [], cuts: 0 }
  for (;;) {
    const clients = await door()
    const protocol = protocols[Math.floor(random() * protocols.length)] ?? 'rest'
    const after = read.seen.at(-1)?.id
    const repeats = after === undefined || random() < 0.25
    const input = repeats
      ? { ...request, ...(after !== undefined && { after_id: after }) }
      : { stream_id: read.streamId, events: true, [protocol === 'trpc' ? 'lastEventId' : 'after_id']: after }
    const events = clients[protocol].stream.bind(null, repeats ? 'chat.stream' : 'chat.resume', input, token)
    const over = await readUntilCut(events, read.seen, random)
    read.streamId = read.seen[0]?.id.split(':')[0] ?? ''
    if (over) return read
    if (read.seen.length === 0) return null
    read.cuts += 1
  }
}

/** Resumes, and cuts after some events or some time; true where the stream ended by itself. */
async function readUntilCut(
  open: (signal: AbortSignal) => AsyncIterable<Event>,
  seen: Event[],
  random: () => number,
): Promise<boolean> {
  const cut = new AbortController()
  const mostEvents = 1 + Math.floor(random() * 8)
  // Never before the first event of an answer, because its id is unknown until then.
  const timer = random() < 0.5 && seen.length > 0 ? setTimeout(() => cut.abort(), random() * 40) : undefined
  const had = seen.length
  try {
    for await (const event of toItsError(open(cut.signal))) {
      if (cut.signal.aborted) return false
      seen.push(event)
      if (event.event === 'error' || event.event === 'done') return true
      if (seen.length - had === mostEvents) cut.abort()
    }
    return !cut.signal.aborted
  } catch {
    return false
  } finally {
    clearTimeout(timer)
    cut.abort()
  }
}

/** The events until an error event; a broken connection is thrown. */
async function* toItsError(events: AsyncIterable<Event>): AsyncGenerator<Event, void, undefined> {
  let last: Event
  try {
    for await (last of events) yield last
  } catch (failure) {
    if (last?.event !== 'error') throw failure
  }
}

/** Repeats until it succeeds, because the gateway may be killed at any moment. */
async function steadily<T>(door: Door, work: (clients: Record<Protocol, Client>) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work(await door())
    } catch (failure) {
      if (tries === 20) throw failure
      await sleep(100)
    }
  }
}
