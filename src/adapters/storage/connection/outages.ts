import { setTimeout as pause } from 'node:timers/promises'
import { StorageOutage } from '../../../domain/core/errors.ts'
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
/** A statement that a responding server works on this long is given up, a little after the server itself should have. */
const mostTurns = 170
/** The same limit at the server, also for a transaction that its process left open. */
export const statementMs = 15_000

/** Codes of Node and of PostgreSQL that the server cannot be reached, stops, starts or accepts no connection. */
const awayCodes = /^(E[A-Z_]+|57P0[1-5]|08...|25P03|53300|57014)$/
/** Of these, the answers of a server that responds. */
const answers = /^(25P03|53300|57014|57P05)$/
/** What the driver says without a code. */
const awayWords = /^(Connection terminated|Query read timeout|timeout e|Client (has encountered|was closed))/

function isAway(failure: unknown): boolean {
  const code = codeOf(failure)
  return code === '' ? failure instanceof Error && awayWords.test(failure.message) : awayCodes.test(code)
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
 * fails too. Until a later probe succeeds everything fails at once. A slow statement of a server that responds goes on.
 */
export function createOutages(
  connect: () => Probe,
  { outage = () => undefined }: Pick<DatabaseWatch, 'outage'>,
): Outages {
  const flights = new Set<Flight>()
  let silent = 0
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
    for (const flight of flights) {
      flight.turns += 1
      if (flight.turns > mostTurns) flight.cut(new StorageOutage(new Error('The statement took too long.')))
    }
    if (silent >= silentTurns) void examine()
  }

  /** Asks the server once where it is silent or has failed somebody. */
  async function examine(): Promise<void> {
    if (examining || away !== null || closed) return
    examining = true
    const before = silent
    const late = [...flights].filter(({ turns }) => turns >= silentTurns)
    const failure = await ask(connect(), late)
    examining = false
    // One that answered others meanwhile is only slow in taking new connections.
    const heard = silent < before && failure instanceof Silence
    silent = 0
    if (failure !== null && !heard && !closed) begin(failure)
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
        return result
      } catch (failure) {
        if (failure instanceof StorageOutage) throw failure
        if (!isAway(failure)) throw failure
        if (!answers.test(codeOf(failure))) void examine()
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
      for (const flight of late)
        if (flight.process !== undefined && idle.includes(flight.process))
          flight.cut(new StorageOutage(new Error('The connection is lost.')))
      return null
    },
    (failure: unknown) => (isAway(failure) && !answers.test(codeOf(failure)) ? failure : null),
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

/** A server that says nothing, as when its processes are stopped. */
class Silence extends Error {}
