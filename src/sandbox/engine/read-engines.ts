import { engineUnavailable, isEngineUnavailable, RpcError } from '../kit/rpc-error.ts'
import { callerTurns } from './caller-turns.ts'
import { type Fork, forkSet, type Running, watch } from './forks.ts'
import type { EngineRead, Lane, ReadLimits, Run } from './reads.ts'
import { type SideProcess, tooLong } from './side-engine.ts'

/**
 * Engines for reads that run code. A running call stops the engine that makes blocks, and nothing but the end of its
 * process stops the call; so it runs on a fork of that engine, which is reset at each new block.
 */
export type ReadEngines = {
  /**
   * Opens a read of the state after a block that the main engine still has; that block is `latest` there. The runs of one
   * read share its time.
   */
  open: (read: EngineRead) => Run
  /** Ends the processes; no other one is started. */
  end: () => Promise<void>
}

/** A call may lose its fork to another run this often. */
const mostTries = 3

/**
 * The gateway's own reads wait longer, and more of them: it bounds them by the requests that it admits, and a read that is
 * refused rejects a trade.
 */
const ownLine = { waiting: 1_024, waitMs: 20_000 }

/** Creates the engines of the one that listens at `socket`, whose state they read. Each is started when it is needed. */
export function readEngines(
  socket: string,
  start: (lane: Lane) => Promise<SideProcess>,
  limits: ReadLimits,
): ReadEngines {
  const lanes = {
    own: readLane(socket, () => start('own'), { ...limits, ...ownLine }),
    public: readLane(socket, () => start('public'), limits),
  }
  return {
    open: (read) => lanes[read.lane].open(read),
    end: async () => {
      await Promise.all([lanes.own.end(), lanes.public.end()])
    },
  }
}

function readLane(socket: string, start: () => Promise<SideProcess>, limits: ReadLimits) {
  let ended = false
  const turns = callerTurns()
  const line = waitingLine(limits.waiting, turns.used)
  const { forkFor, occupy, discard, makeRoom, ...forks } = forkSet(socket, start, { limits, turns, changed: line.next })

  /** The fork of a run, at once or when it is its turn. */
  async function take(read: EngineRead, run: Running): Promise<Fork> {
    const begun = performance.now()
    const impatient = setTimeout(makeRoom, limits.slowMs)
    const canRun = () => forkFor(read, run.callerName) !== undefined
    try {
      for (;;) {
        if (ended) throw engineUnavailable()
        read.signal?.throwIfAborted()
        const found = forkFor(read, run.callerName)
        if (found !== undefined) {
          run.endTurn = turns.begin(run.callerName)
          return occupy(found, read, run)
        }
        const left = limits.waitMs - (performance.now() - begun)
        await line.wait({ name: run.callerName, canRun, milliseconds: left, signal: read.signal })
      }
    } finally {
      clearTimeout(impatient)
      // Others may share the fork, and a turn that was given to one who has left goes on.
      queueMicrotask(line.next)
    }
  }

  function open(read: EngineRead): Run {
    const time = { left: limits.runMs }
    return (method, params) => call(read, time, method, params)
  }

  async function call(read: EngineRead, time: { left: number }, method: string, params: unknown): Promise<unknown> {
    for (let tries = 1; ; tries += 1) {
      if (time.left === 0) throw tooLong(limits.runMs / 1_000)
      const callerName = read.caller?.name ?? ''
      const run: Running = { callerName, isOver: false, isLeft: false, endTurn: () => undefined }
      const fork = await take(read, run)
      const started = performance.now()
      const watched = watch(fork, run, { slowMs: limits.slowMs, runMs: time.left, signal: read.signal, discard })
      try {
        return await (await fork.ready).call(method, params)
      } catch (error) {
        if (run.isOver) throw tooLong(limits.runMs / 1_000)
        // Another run of the same fork may have ended it.
        if (ended || fork.hasFailed || tries === mostTries || !isEngineUnavailable(error)) throw error
      } finally {
        watched.end()
        run.endTurn()
        time.left = Math.max(0, time.left - (performance.now() - started))
        fork.runs.delete(run)
        if (fork.runs.size === 0) fork.isClosed = false
        line.next()
      }
    }
  }

  const end = async () => {
    ended = true
    line.all()
    await forks.end()
  }
  return { open, end }
}

/** A read that waits: of whom, whether it could run now, and for how long it may wait. */
type Waiter = {
  name: string
  canRun: () => boolean
  milliseconds: number
  signal: AbortSignal | undefined
}

type Waiting = Pick<Waiter, 'name' | 'canRun'> & { go: (refusal?: RpcError) => void }

/**
 * Those who wait for a fork: who used the least comes first. Where the line is full, the newest of those who wait most often
 * is refused.
 */
function waitingLine(most: number, used: (name: string) => number) {
  const waiting: Waiting[] = []

  function refuseOne(): void {
    const places = Map.groupBy(waiting, ({ name }) => name)
    const [longest = []] = [...places.values()].toSorted((one, other) => other.length - one.length)
    longest.at(-1)?.go(tooMany())
  }

  return {
    /** Lets the first of those who can run now try again. */
    next: () => {
      waiting
        .filter(({ canRun }) => canRun())
        .toSorted((one, other) => used(one.name) - used(other.name))[0]
        ?.go()
    },
    /** Lets all try again. */
    all: () => {
      for (const { go } of waiting.splice(0)) go()
    },
    /** Settles with the reader's turn, or once its signal aborts. Throws after the time, or where the line is full. */
    wait: ({ name, canRun, milliseconds, signal }: Waiter) =>
      new Promise<void>((resolve, reject) => {
        const one: Waiting = {
          name,
          canRun,
          go: (refusal) => {
            clearTimeout(timer)
            signal?.removeEventListener('abort', left)
            const at = waiting.indexOf(one)
            if (at >= 0) waiting.splice(at, 1)
            if (refusal === undefined) resolve()
            else reject(refusal)
          },
        }
        const left = () => one.go()
        const timer = setTimeout(() => one.go(tooMany()), Math.max(0, milliseconds))
        signal?.addEventListener('abort', left)
        waiting.push(one)
        if (waiting.length > most) refuseOne()
      }),
  }
}

function tooMany(): RpcError {
  return new RpcError(-32002, 'too many reads that run code are waiting: try again in a moment', { retryable: true })
}
