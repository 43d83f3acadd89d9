import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { DriverClient, DriverPool } from './postgresql.ts'
import type { Signals } from './signals.ts'

/** The channel of PostgreSQL on which processes tell each other which rows to look at. */
const channel = 'trident_hints'
/** The name of the connection among those of the server. */
const application = 'trident hints'
/** Least time between two notifications: each commit with one takes a lock of the whole server. */
const gapMs = 4
/** With more topics in that time the others look at everything. */
const mostTopics = 500
/** The server takes payloads below 8,000 bytes. */
const mostBytes = 7_900
const [firstWaitMs, longestWaitMs] = [100, 5_000]
/** Turns of a timer, which counts one however long the process stood still, after which a silent connection is given up. */
const [turnMs, silentTurns] = [250, 8]

/** The one connection of this process over which hints come and go. It belongs to no pool, so that nothing makes it wait. */
export type Hints = {
  /** Tells the other processes, soon and together with other topics. While there is no connection, the topic waits. */
  tell(topic: string): void
  /** Runs a statement there, prepared under a name; rejects where there is no connection, or it is lost meanwhile. */
  run(name: string, text: string, value: string | string[]): Promise<void>
  /** Sends what waits and closes the connection. */
  close(): Promise<void>
}

/**
 * SQL that lets the transaction's commit not wait for the disk, where a crash of the server may lose it. A plain `set` would
 * stay with the connection of the server, which a pooler gives to others.
 */
export const unsynced = "set_config('synchronous_commit', 'off', true)"

/** One commit for all payloads. The loss of a hint says nothing that the table does not. */
const notifying = `select pg_notify('${channel}', hint) from unnest($1::text[]) as hint, ${unsynced}`

type Heard = Pick<Signals, 'hint' | 'hintAll'>

/**
 * Opens the connection, and opens it again whenever it is lost; then everyone here looks once, because hints are lost
 * meanwhile. No caller fails for it: without it the changes of others are found by polling.
 */
export async function openHints(pool: DriverPool, heard: Heard): Promise<Hints> {
  const sender = randomUUID()
  const waiting = createWaiting()
  const [leaving, closing] = [new AbortController(), new AbortController()]
  let client: DriverClient | null = null
  let sending: Promise<void> | null = null

  async function run(name: string, text: string, value: string | string[]): Promise<void> {
    const used = client
    if (used === null) throw new Error('There is no connection for hints.')
    await withinTurns(used, used.query({ name, text, values: [value] }))
  }

  async function send(): Promise<void> {
    await new Promise(setImmediate) // topics of the same turn are sent together
    let waitMs = firstWaitMs
    while (client !== null && waiting.size() > 0) {
      const isSent = await run('hints', notifying, waiting.take(sender)).then(
        () => true,
        () => false,
      )
      if (!isSent) waiting.add(null)
      if (!isSent && leaving.signal.aborted) break
      // A server that refuses, whose queue is full or that only reads, is left alone for longer and longer.
      await pause(isSent ? gapMs : waitMs, undefined, { ref: false, signal: leaving.signal }).catch(() => undefined)
      waitMs = isSent ? firstWaitMs : Math.min(2 * waitMs, longestWaitMs)
    }
    sending = null
  }

  /** Listens until the connection is lost. */
  async function listen(opened: () => void): Promise<void> {
    const { password } = pool.options // the driver hides it from copies
    const fresh = new pool.Client({ ...pool.options, password, application_name: application })
    const lost = Promise.withResolvers<void>()
    const end = () => lost.resolve()
    for (const event of ['error', 'end'] as const) fresh.on(event, end)
    closing.signal.addEventListener('abort', end)
    fresh.on('notification', ({ payload = '' }) => receive(payload, sender, heard))
    try {
      await withinTurns(fresh, fresh.connect())
      await withinTurns(fresh, fresh.query(`listen ${channel}`))
      client = fresh
      opened()
      heard.hintAll()
      sending ??= send()
      await lost.promise
    } finally {
      client = null
      closing.signal.removeEventListener('abort', end)
      fresh.connection.stream.destroy()
    }
  }

  async function keep(opened: () => void): Promise<void> {
    let waitMs = firstWaitMs
    while (!closing.signal.aborted) {
      await listen(() => {
        waitMs = firstWaitMs
        opened()
      }).catch(() => undefined)
      opened()
      await pause(waitMs, undefined, { ref: false, signal: closing.signal }).catch(() => undefined)
      waitMs = Math.min(2 * waitMs, longestWaitMs)
    }
  }

  await new Promise<void>((resolve) => void keep(resolve))
  return {
    tell(topic) {
      if (closing.signal.aborted) return
      waiting.add(topic)
      if (client !== null) sending ??= send()
    },
    run,
    async close() {
      leaving.abort()
      await sending
      closing.abort()
    },
  }
}

/** Wakes the listeners of the topics that another process has sent. */
function receive(payload: string, sender: string, { hint, hintAll }: Heard): void {
  const [from, ...topics] = payload.split('\n')
  if (from === sender) return
  if (topics.length === 0) hintAll()
  for (const topic of topics) hint(topic)
}

/** The topics that were not sent to the others yet, each once. */
function createWaiting() {
  const topics = new Set<string>()
  let everything = false
  return {
    /** Null stands for everything. */
    add(topic: string | null) {
      if (topic === null || topics.size >= mostTopics || Buffer.byteLength(topic) > mostBytes / 2) everything = true
      else topics.add(topic)
    },
    size: () => topics.size + (everything ? 1 : 0),
    /** Takes all, as payloads that the server accepts: the sender and topics, a line each; without topics, everything. */
    take(sender: string): string[] {
      const payloads = [sender]
      for (const topic of everything ? [] : topics) {
        const longer = `${payloads.at(-1)}\n${topic}`
        if (Buffer.byteLength(longer) <= mostBytes) payloads.splice(-1, 1, longer)
        else payloads.push(`${sender}\n${topic}`)
      }
      topics.clear()
      everything = false
      return payloads
    },
  }
}

/** Rejects, and cuts the connection, where the server stays silent. */
async function withinTurns(client: DriverClient, answer: Promise<unknown>): Promise<void> {
  const silent = Promise.withResolvers<never>()
  let turns = 0
  const timer = setInterval(() => {
    turns += 1
    if (turns < silentTurns) return
    client.connection.stream.destroy()
    silent.reject(new Error('The connection for hints is silent.'))
  }, turnMs).unref()
  try {
    await Promise.race([answer, silent.promise])
  } finally {
    clearInterval(timer)
  }
}
