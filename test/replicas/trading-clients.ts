import { setTimeout as sleep } from 'node:timers/promises'
import type { Client, Event, Outcome, Protocol } from '../clients/client.ts'
import { openClients } from '../clients/clients.ts'
import type { Account } from '../world.ts'

/** What a trade's caller noted down: everything that a judge may hold against the gateways. */
export type Note = {
  account: Account
  key: string
  firstSentAt: number
  /** Every answer with an execution, as it came. */
  acknowledged: { at: number; execution: string; status: string; hash: string | undefined }[]
  /** The last answer. */
  status: string | null
  message: string
  decidedAt: number | null
  attempts: number
}

/** Answers that the guide does not let a client repeat unchanged, and that no fault explains. */
export type Odd = { at: number; what: string }

export type Notes = { trades: Note[]; odd: Odd[] }

const protocols: readonly Protocol[] = ['rest', 'trpc', 'grpc']
/** Longest that a client waits for one answer; a trade waits up to 30 seconds for its block. */
const patienceMs = 12_000
const pauseMs = 150
/** Codes that may come again unchanged, as the guide's table says. */
const passing = new Set(['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'status 14', 'status 4', 'RATE_LIMITED'])

export type Urls = { http: string; grpc: string }

/** Clients of all protocols at an address. A connection of gRPC may be lost, and is then made anew. */
export type Entry = { one(protocol: Protocol): Client; close(): void }

export function openEntry(urls: Urls): Entry {
  const clients = openClients(urls)
  return { one: (protocol) => clients[protocol], close: () => clients[Symbol.dispose]() }
}

/** One answer, or null where there is none: the connection was lost, refused or silent. */
async function askedOnce(ask: () => Promise<Outcome>): Promise<Outcome | null> {
  const silence = sleep(patienceMs, null, { ref: false })
  return await Promise.race([(async () => await ask())().catch(() => null), silence])
}

/**
 * Sends a trade under one key until it is decided, over another protocol each time, as the guide tells clients. Ends undecided
 * where `over` aborts. `entries` are asked at the same time at first, then one after the other.
 */
export async function tradeOn(
  notes: Notes,
  entries: readonly Entry[],
  order: { account: Account; key: string; amount: string; protocol: number },
  over: AbortSignal,
): Promise<Note> {
  const { account, key, amount } = order
  const note: Note = {
    ...{ account, key, firstSentAt: performance.now(), acknowledged: [], status: null, message: '' },
    ...{ decidedAt: null, attempts: 0 },
  }
  notes.trades.push(note)
  const input = account.trade('WETH', 'USDC', amount, key)
  const send = async (entry: Entry) => {
    note.attempts += 1
    const protocol = protocols[(order.protocol + note.attempts) % protocols.length] as Protocol
    const answer = await askedOnce(() => entry.one(protocol).call('trading.execute', input, account.token))
    take(notes, note, protocol, answer)
  }
  await Promise.all(entries.map(send))
  for (let turn = 0; note.decidedAt === null && !over.aborted; turn += 1) {
    await sleep(pauseMs)
    await send(entries[turn % entries.length] as Entry)
  }
  return note
}

type Traded = { status: string; execution_id?: string; tx_hash?: string; message: string }

function take(notes: Notes, note: Note, protocol: Protocol, answer: Outcome | null): void {
  if (answer === null) return
  if (!answer.ok) {
    if (passing.has(answer.code)) return
    notes.odd.push({ at: performance.now(), what: `${note.key} ${protocol}: ${answer.code} ${answer.message}` })
    return
  }
  const { status, execution_id: execution, tx_hash: hash, message } = answer.output as Traded
  if (execution !== undefined) note.acknowledged.push({ at: performance.now(), execution, status, hash })
  // Nothing is traded where a check could not be made, and the key is free.
  const isDecided = status !== 'pending' && !(status === 'rejected' && /check_failed|halt/i.test(message))
  if (note.decidedAt !== null && !isDecided) return
  note.status = status
  note.message = message
  if (isDecided) note.decidedAt ??= performance.now()
}

/** What a reader of an account's stream received, and how often it went on at another process. */
export type Read = { account: Account; ids: string[]; handOvers: number; odd: string[] }

/** Reads the stream of an account until `over` aborts; it leaves and comes back by the last id after each `stayMs`. */
export async function readOn(entry: Entry, account: Account, stayMs: () => number, over: AbortSignal): Promise<Read> {
  const read: Read = { account, ids: [], handOvers: 0, odd: [] }
  for (let turn = 0; !over.aborted; turn += 1) {
    const last = read.ids.at(-1)
    const input = last === undefined ? { from: 'now' } : { last_event_id: last }
    const stay = AbortSignal.any([over, AbortSignal.timeout(Math.round(stayMs()))])
    const client = entry.one(protocols[turn % protocols.length] as Protocol)
    try {
      for await (const event of client.stream('trading.watchAccount', input, account.token, stay))
        read.ids.push(event.id)
    } catch (failure) {
      const { refusal } = failure as { refusal?: { code: string; message: string } }
      if (refusal !== undefined && !passing.has(refusal.code) && !over.aborted && !stay.aborted)
        read.odd.push(`${client.protocol}: ${refusal.code} ${refusal.message}`)
      await sleep(50)
    }
    if (last !== undefined && !over.aborted) read.handOvers += 1
  }
  return read
}

/** Every id of the account's stream after the first one that a reader has, up to its last one. */
export async function storedIds(entry: Entry, { account, ids }: Read): Promise<string[]> {
  const [first] = ids
  if (first === undefined || ids.length === 1) return [...ids]
  const stored = [first]
  const stream: AsyncGenerator<Event> = entry
    .one('rest')
    .stream('trading.watchAccount', { last_event_id: first }, account.token, AbortSignal.timeout(10_000))
  try {
    for await (const { id } of stream) {
      stored.push(id)
      if (id === ids.at(-1)) break
    }
  } catch {
    // The stream has no such id: what was read differs from what is stored.
  }
  return stored
}
