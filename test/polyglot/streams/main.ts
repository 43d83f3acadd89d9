import { setTimeout as sleep } from 'node:timers/promises'
import { type Account, type Execution, newAccount } from './account.ts'
import { type CuttingProxy, cuttingProxy } from './proxy.ts'
import { type Reader, readers, type StreamEvent } from './readers.ts'

/**
 * Lets readers of event streams from npm and PyPI read what the gateway streams, each through proxies of its own.
 * Knows nothing but REST_URL; fails where a reader does not hand over each event once.
 */
const gateway = process.env.REST_URL ?? ''
const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 32))
const [cuts, pings] = [100, 3]
const accountPath = '/api/v1/multi-agent/account/watch'

/** A reader at work, with what it has handed over so far. */
type Reading = { proxy: CuttingProxy; seen: StreamEvent[]; ended: Promise<void>; stop(): Promise<void> }

console.log(`TEST_SEED=${seed}`)
const all = readers()
const account = await newAccount(gateway)
const { execution_id: first } = await account.trade(false)
for (const _ of Array(5)) await Promise.all([false, true].map((back) => account.trade(back)))
const said = await Promise.all([readAccount(account), readEnding(account, first), readChats(account)])
all.forEach(({ name, version }, index) => {
  console.log(`${name} ${version}: ${said.map((lines) => lines[index]).join('; ')}`)
})

/**
 * The stream of the account, which goes on: each reader is cut a hundred times on its way from the first event, stays
 * while the gateway pings, and then receives one more trade.
 */
async function readAccount({ token, trade, readUncut }: Account): Promise<string[]> {
  const stopping = new AbortController()
  const truth: StreamEvent[] = []
  const uncut = readUncut(accountPath, (event) => truth.push(event), stopping.signal).catch(unless(stopping.signal))
  const readings = await Promise.all(all.map((reader) => begin(reader, token, accountPath, { cutsLeft: cuts })))
  const counts = () => readings.map(({ proxy, seen }, at) => [all[at]?.name, proxy.cuts, pingsOf(proxy), seen.length])
  // A reader that loses events is at the last one before it has all its cuts, and is judged for it.
  const isCut = ({ proxy, seen }: Reading) =>
    proxy.cutsLeft === 0 || (seen.length > 0 && seen.at(-1)?.id === truth.at(-1)?.id)
  await until(`${cuts} cuts`, 120, () => readings.every(isCut), counts)
  for (const { proxy } of readings) proxy.cutsLeft = 0
  await until(`${pings} pings`, 120, () => readings.every(({ proxy }) => pingsOf(proxy) >= pings), counts)
  const { execution_id } = await trade(false)
  const isLast = ({ data }: StreamEvent) => data.includes(execution_id) && data.includes('"state":"included"')
  await until('the last trade', 60, () => [{ seen: truth }, ...readings].every(({ seen }) => seen.some(isLast)), counts)
  const expected = truth.slice(0, truth.findIndex(isLast) + 1)
  // What would come a second time has come by then.
  await sleep(1_000)
  stopping.abort()
  await Promise.all([uncut, ...readings.map(({ stop }) => stop())])
  return readings.map((reading) => judged(reading, expected))
}

function judged({ proxy, seen }: Reading, truth: StreamEvent[]): string {
  const ids = new Set(seen.map(({ id }) => id))
  const lost = truth.filter(({ id }) => !ids.has(id)).length
  const repeated = seen.length - ids.size
  const empty = seen.filter(({ data }) => idIn(data) === undefined).length
  const places = new Set(proxy.asked.map(({ after }) => after)).size
  const inOrder = truth.every(({ id }, at) => id === seen[at]?.id && id === idIn(seen[at].data))
  const holds = inOrder && lost + repeated + empty === 0 && proxy.cuts >= cuts && places > 10 && truth.length >= 60
  // The other readers are judged too.
  if (!holds) process.exitCode = 1
  return (
    `${holds ? '' : 'FAILED, '}${truth.length} events, ${lost} lost, ${repeated} repeated, ${empty} empty, ` +
    `${inOrder ? '' : 'not '}in order, ${proxy.cuts} cuts after ${places} of them, ${pingsOf(proxy)} pings`
  )
}

/** The stream of a trade, which ends: each reader gets all of it, asks again, and stops at 204. */
async function readEnding({ token, readUncut }: Account, execution: Execution['execution_id']): Promise<string[]> {
  // It ends with the same event whenever it is read, also once the trade has gone on.
  const path = `/api/v1/multi-agent/executions/${execution}/watch?until=included`
  const truth: StreamEvent[] = []
  await readUncut(path, (event) => truth.push(event), AbortSignal.timeout(60_000))
  const expected = JSON.stringify(truth.map(({ data }) => data))
  const last = truth.findLast(({ id }) => id !== '')?.id
  const asks = JSON.stringify([
    { after: '', status: 200 },
    { after: last, status: 204 },
  ])
  return await Promise.all(
    all.map(async (reader) => {
      const { proxy, seen, ended, stop } = await begin(reader, token, path)
      const stopped = await Promise.race([ended.then(() => true), sleep(30_000, false, { ref: false })])
      await stop()
      const data = JSON.stringify(seen.map(({ data }) => data))
      const asked = JSON.stringify(proxy.asked)
      expect(data === expected && seen.at(-1)?.data === '[DONE]', 'a whole trade', [reader.name, data, expected])
      expect(stopped && asked === asks, 'an end at 204', [reader.name, stopped, asked, asks])
      return `${seen.length - 1} events of a trade, [DONE], 204`
    }),
  )
}

/** An answer of the chat, whose question is posted: its pieces are together what the history has. */
async function readChats({ token, get }: Account): Promise<string[]> {
  const body = JSON.stringify({ messages: [{ role: 'user', content: 'quote 1 WETH to USDC' }] })
  const said: string[] = []
  // In turn, for they are one conversation.
  for (const reader of all) {
    if (!reader.posts) {
      said.push('cannot post')
      continue
    }
    const { seen, ended, stop } = await begin(reader, token, '/api/v1/chatbot/chat/stream', { body })
    await Promise.race([ended, sleep(60_000, null, { ref: false })])
    await stop()
    const pieces = seen.slice(0, -1).map(({ data }) => (JSON.parse(data) as { content: unknown }).content)
    const { messages } = await get<{ messages: { content: string }[] }>('/api/v1/chatbot/messages')
    const isWhole = pieces.every((piece) => typeof piece === 'string') && pieces.join('') === messages.at(-1)?.content
    expect(isWhole && pieces.length >= 2 && seen.at(-1)?.data === '[DONE]', 'an answer in pieces', [reader.name, seen])
    said.push(`${pieces.length} pieces of an answer, [DONE]`)
  }
  return said
}

/** Lets a reader begin a stream through a proxy of its own; it reads until it knows of the end, or is stopped. */
async function begin(
  reader: Reader,
  token: string,
  path: string,
  { cutsLeft = 0, body }: { cutsLeft?: number; body?: string } = {},
): Promise<Reading> {
  const proxy = await cuttingProxy(gateway, randomOf(reader), cutsLeft)
  const seen: StreamEvent[] = []
  const stopping = new AbortController()
  const ask = { url: proxy.url + path, token, ...(body === undefined ? {} : { body }) }
  const ended = reader.read(ask, (event) => seen.push(event), stopping.signal).catch(unless(stopping.signal))
  return {
    proxy,
    seen,
    ended,
    async stop() {
      stopping.abort()
      await ended
      proxy[Symbol.dispose]()
    },
  }
}

/** Throws what a reader failed with, unless it was stopped. */
function unless(stop: AbortSignal): (error: unknown) => void {
  return (error) => {
    if (!stop.aborted) throw error
  }
}

/** The id that the data of an event names; undefined where they are not JSON. */
function idIn(data: string): unknown {
  try {
    return (JSON.parse(data) as { id: unknown }).id
  } catch {
    return undefined
  }
}

function pingsOf({ passed }: CuttingProxy): number {
  return passed.match(/^: ping\n/gm)?.length ?? 0
}

/** Random numbers from 0 to 1, for each reader others, and the same in every run of the seed. */
function randomOf({ version }: Reader): () => number {
  let state = [...version].reduce((sum, character) => Math.imul(sum, 31) + character.charCodeAt(0), seed) >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

async function until(what: string, seconds: number, holds: () => boolean, seen: () => unknown): Promise<void> {
  const last = performance.now() + seconds * 1_000
  while (!holds()) {
    expect(performance.now() < last, `${what} within ${seconds} s`, seen())
    await sleep(50)
  }
}

function expect(holds: boolean, what: string, seen: unknown): void {
  if (!holds) throw new Error(`expected ${what}, got ${JSON.stringify(seen)}`)
}
