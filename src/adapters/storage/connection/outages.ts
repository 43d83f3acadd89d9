import { setTimeout as pause } from 'node:timers/promises'
import { StorageBusy, StorageOutage } from '../../../domain/core/errors.ts'
import { codeOf, type DatabaseWatch } from './statements.ts'

/** A connection of its own that asks the server whether it responds. */
export type Probe = {
  /** The processes of the server among these that wait for a statement; rejects where the server does not respond. */
  idleOf(processes: readonly number[]): Promise<readonly number[]>
  close(): void
}

/**
 * Limits in turns of the timer, which counts a turn once however long the event loop stood still: a busy gateway must not
 * take its own slowness for that of the server. Together they end every call well within two seconds.
 */
const turnMs = 100
const [silentTurns, probeTurns] = [5, 8]
/** While others are answered, one that waits is asked about so often: its connection alone may be lost. */
const lateTurns = 10
/** A statement that a responding server works on this long is given up, a little after the server itself should have. */
const mostTurns = 170
/** The same limit at the server, also for a transaction that its process left open. */
export const statementMs = 15_000

/** Codes of Node, and of PostgreSQL, that the server cannot be reached, stops, starts or has lost the connection. */
const awayCodes = new RegExp(
  `^(${[
    ...[
      'EAI_AGAIN',
      'ECONNABORTED',
      'ECONNREFUSED',
      'ECONNRESET',
      'EHOSTDOWN',
      'EHOSTUNREACH',
      'ENETDOWN',
      'ENETRESET',
    ],
    ...['ENETUNREACH', 'ENOENT', 'ENOTCONN', 'ENOTFOUND', 'EPIPE', 'EPROTO', 'ETIMEDOUT'],
    ...['ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END'],
    ...['57P01', '57P02', '57P03', '57P04', '08...'],
  ].join('|')})$`,
)
/** What the driver says of that without a code. */
const awayWords = /^(Connection terminated|Query read timeout|Client (has encountered|was closed))/
/** Answers of a server that responds: a limit of it ended the statement or the session, or it takes no more connections. */
const busyCodes = /^(25P03|53300|57014|57P05)$/
/** What the driver says where no connection became free. */
const busyWords = /^timeout e/

function isOne(failure: unknown, codes: RegExp, words?: RegExp): boolean {
  const code = codeOf(failure)
  return code === '' ? failure instanceof Error && words?.test(failure.message) === true : codes.test(code)
}

type Flight = { turns: number; process: number | undefined; cut(failure: unknown): void }

/** What needs a server, and knows when it is away. */
export type Outages = {
  /**
   * Runs one exchange with the server. UNAVAILABLE at once while the server is away, and as soon as that is known of one
   * that waits. `process` is that of the server that has to answer.
   */
  guard<T>(act: () => Promise<T>, process?: number): Promise<T>
  /** How many outages have begun. Connections from before the newest one may be dead. */
  count(): number
  close(): void
}

/**
 * Finds out that a server is away: by a failed connection, or by silence while something waits, and then by a probe that
 * fails too. Until a later probe succeeds everything fails at once. A slow statement of a server that responds goes on, unless
 * its connection is lost.
 */
export function createOutages(
  connect: () => Probe,
  { outage = () => undefined, busy: told = () => undefined }: Pick<DatabaseWatch, 'outage' | 'busy'>,
): Outages {
  const flights = new Set<Flight>()
  let silent = 0
  let sinceExamined = lateTurns
  let heard = 0
  let count = 0
  let ticker: NodeJS.Timeout | undefined
  let examining = false
  let away: { failure: unknown } | null = null
  let closed = false

  function tick(): void {
    if (flights.size === 0) {
      clearInterval(ticker)
      ticker = undefined
      return
    }
    silent += 1
    let late = false
    for (const flight of flights) {
      flight.turns += 1
      if (flight.turns > mostTurns) flight.cut(new StorageBusy(new Error('The statement took too long.')))
      if (flight.process !== undefined && flight.turns >= silentTurns) late = true
    }
    sinceExamined += 1
    if (silent >= silentTurns || (late && sinceExamined >= lateTurns)) void examine()
  }

  /** Asks the server once where it is silent or has failed somebody. */
  async function examine(): Promise<void> {
    if (examining || away !== null || closed) return
    examining = true
    sinceExamined = 0
    const before = heard
    const late = [...flights].filter(({ turns }) => turns >= silentTurns)
    const failure = await ask(connect(), late)
    examining = false
    // One that answered others meanwhile is only slow in taking new connections.
    const responds = heard > before && failure instanceof Silence
    silent = 0
    if (failure !== null && !responds && !closed) begin(failure)
  }

  function begin(failure: unknown): void {
    away = { failure }
    count += 1
    const since = performance.now()
    outage({ failure, seconds: null })
    for (const flight of flights) flight.cut(new StorageOutage(failure))
    void (async () => {
      do await pause(turnMs, undefined, { ref: false })
      while (!closed && (await ask(connect(), [])) !== null)
      away = null
      if (!closed) outage({ failure, seconds: (performance.now() - since) / 1_000 })
    })()
  }

  function busy(failure: StorageBusy): StorageBusy {
    told(failure.cause)
    return failure
  }

  return {
    async guard(act, process) {
      if (away !== null) throw new StorageOutage(away.failure)
      const cut = Promise.withResolvers<never>()
      const flight = { turns: 0, process, cut: cut.reject }
      if (flights.size === 0) silent = 0
      flights.add(flight)
      ticker ??= setInterval(tick, turnMs).unref()
      try {
        const result = await Promise.race([act(), cut.promise])
        silent = 0
        heard += 1
        return result
      } catch (failure) {
        if (failure instanceof StorageBusy) busy(failure)
        if (isOne(failure, busyCodes, busyWords)) throw busy(new StorageBusy(failure))
        if (!isOne(failure, awayCodes, awayWords)) throw failure
        void examine()
        throw new StorageOutage(failure)
      } finally {
        flights.delete(flight)
      }
    },
    count: () => count,
    close() {
      closed = true
      clearInterval(ticker)
    },
  }
}

/**
 * Null where the server responds, else why not. A flight whose process waits for a statement lost its connection, and is
 * cut.
 */
async function ask(probe: Probe, late: readonly Flight[]): Promise<unknown> {
  let settled = false
  const asked = probe.idleOf(late.flatMap(({ process }) => process ?? [])).then(
    (idle) => {
      const lost = late.filter(({ process }) => process !== undefined && idle.includes(process))
      void cutLost(lost)
      return null
    },
    (failure: unknown) => (isOne(failure, awayCodes, awayWords) ? failure : null),
  )
  const waited = (async () => {
    for (let turn = 0; turn < probeTurns && !settled; turn += 1) await pause(turnMs, undefined, { ref: false })
    return new Silence('The server does not respond.')
  })()
  const failure = await Promise.race([asked, waited])
  settled = true
  probe.close()
  return failure
}

/** Ends these a turn later: the answer of one that was slow may have been on its way. */
async function cutLost(lost: readonly Flight[]): Promise<void> {
  if (lost.length > 0) await pause(turnMs, undefined, { ref: false })
  for (const flight of lost) flight.cut(new StorageOutage(new Error('The connection is lost.')))
}

/** A server that says nothing, as when its processes are stopped. */
class Silence extends Error {}
