import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, type Event, eventsOf, output, type Protocol } from '../clients/client.ts'
import { seeded } from '../seeded.ts'
import { piecesOf, questionOf } from './slow-script.ts'

/** Where a reader finds the gateway: clients of its present life, which there may be none of for a while. */
export type Door = () => Promise<Record<Protocol, Client>>

/** What became of the events that readers were told through all cuts; `killed` are answers that the gateway left. */
export type CutTally = { answers: number; killed: number; cuts: number; lost: number; repeated: number; wrong: number }

const protocols = ['rest', 'trpc', 'grpc'] as const

/** What is asked, and the text that must come; null where nobody knows it beforehand. */
export type Questions = { questionOf(random: () => number): string; wholeOf(question: string): string | null }

const slowQuestions: Questions = {
  questionOf: (random) => questionOf(Math.floor(random() * 1e6), 10 + Math.floor(random() * 30)),
  wholeOf: (question) => piecesOf(question).join(''),
}

/**
 * Asks for answers in a session, one after the other, and reads each through cuts at random places, from protocol to
 * protocol, until so many cuts are made. Everything that is random follows from the seed.
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
    if (read === null) continue // it was not even begun when the gateway was killed
    const truth = await steadily(door, async ({ rest }) =>
      eventsOf(toItsError(rest.stream('chat.resume', { stream_id: read.streamId, events: true }, token))),
    )
    const { messages } = await steadily(door, ({ rest }) => output(rest.call('chat.history', { limit: 1 }, token)))
    const ids = read.seen.map(({ id }) => id)
    const told = new Set(ids)
    tally.answers += 1
    tally.cuts += read.cuts
    tally.lost += truth.filter(({ id }) => !told.has(id)).length
    tally.repeated += ids.length - told.size
    const failed = truth.at(-1)?.event === 'error'
    if (failed) tally.killed += 1
    if (!isTrue(read.seen, truth, questions.wholeOf(question), failed, messages[0])) tally.wrong += 1
  }
  return tally
}

/** Whether what was seen is what is stored, in its order and words, and what the history keeps. */
function isTrue(seen: Event[], truth: Event[], known: string | null, failed: boolean, kept: Event): boolean {
  const text = seen.map(({ content }) => content).join('')
  const whole = known ?? text
  if (JSON.stringify(seen) !== JSON.stringify(truth)) return false
  if (!failed) return text === whole && kept.content === text && kept.incomplete === undefined
  return whole.startsWith(text) && (text === '' || (kept.content === text && kept.incomplete === 'failed'))
}

type Read = { streamId: string; seen: Event[]; cuts: number }

/** Reads one answer to its end; null where it was never begun. */
async function readOne(door: Door, token: string, question: string, random: () => number): Promise<Read | null> {
  const asked = { messages: [{ role: 'user', content: question }], events: true }
  const read: Read = { streamId: '', seen: [], cuts: 0 }
  for (;;) {
    const clients = await door()
    const protocol = protocols[Math.floor(random() * protocols.length)] ?? 'rest'
    const after = read.seen.at(-1)?.id
    const byAsking = after === undefined || random() < 0.25
    const input = byAsking
      ? { ...asked, ...(after !== undefined && { after_id: after }) }
      : { stream_id: read.streamId, events: true, [protocol === 'trpc' ? 'lastEventId' : 'after_id']: after }
    const events = clients[protocol].stream.bind(null, byAsking ? 'chat.stream' : 'chat.resume', input, token)
    const over = await readUntilCut(events, read.seen, random)
    read.streamId = read.seen[0]?.id.split(':')[0] ?? ''
    if (over) return read
    if (read.seen.length === 0) return null
    read.cuts += 1
  }
}

/** Reads on and cuts after some events or some time, or is cut; true where the stream came to its end. */
async function readUntilCut(
  open: (signal: AbortSignal) => AsyncIterable<Event>,
  seen: Event[],
  random: () => number,
): Promise<boolean> {
  const cut = new AbortController()
  const mostEvents = 1 + Math.floor(random() * 8)
  // Never before the first event of an answer, for nobody knows its name then.
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

/** The events up to the refusal that follows an error event; a broken connection is thrown on. */
async function* toItsError(events: AsyncIterable<Event>): AsyncGenerator<Event, void, undefined> {
  let last: Event
  try {
    for await (last of events) yield last
  } catch (failure) {
    if (last?.event !== 'error') throw failure
  }
}

/** Tries until it succeeds: the gateway may be killed at any moment. */
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
