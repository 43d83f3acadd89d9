import type { NodeCaller } from '../../domain/ports/node.ts'
import { engineUnavailable, isEngineUnavailable } from '../kit/rpc-error.ts'
import { within } from '../kit/within.ts'
import { callerTurns } from './caller-turns.ts'
import { type SideProcess, tooLong } from './side-engine.ts'
import { waitingLine } from './waiting-line.ts'

/** Who reads: the gateway for itself, or a stranger. Neither waits for the other one. */
export type Lane = 'own' | 'public'

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

/** One read. Work of which the signal says that nobody waits for it is dropped. */
export type EngineRead = {
  lane: Lane
  block: number
  prepared?: Prepared | undefined
  caller?: NodeCaller | undefined
  signal?: AbortSignal | undefined
}

/** Work on a fork before it is read, such as mining a block again. It is not repeated where its name was the last. */
export type Prepared = { name: string; work: (call: Run) => Promise<void> }

/** Calls a method of an engine for one read. */
export type Run = (method: string, params?: unknown) => Promise<unknown>

export type ReadLimits = {
  /** Forks of one lane. */
  forks: number
  /** Reads that wait for a fork of one lane, and how long. */
  waiting: number
  waitMs: number
  /** After this time of a run its fork takes no further reads until it is idle. */
  slowMs: number
  /** The longest read: the time of its runs together. */
  runMs: number
}

/** The limits of every chain; the setting for the time of a run replaces the last one. */
export const usualLimits: ReadLimits = { forks: 3, waiting: 64, waitMs: 5_000, slowMs: 250, runMs: 5_000 }

/** Where a fork is whose reset has failed. */
const nowhere = ''

/** A call may lose its fork to another run this often. */
const mostTries = 3

/** Creates the engines of the one that listens at `socket`, whose state they read. Each is started when it is needed. */
export function readEngines(
  socket: string,
  start: (lane: Lane) => Promise<SideProcess>,
  limits: ReadLimits,
): ReadEngines {
  const lanes = {
    own: readLane(socket, () => start('own'), limits),
    public: readLane(socket, () => start('public'), limits),
  }
  return {
    open: (read) => lanes[read.lane].open(read),
    end: async () => {
      await Promise.all([lanes.own.end(), lanes.public.end()])
    },
  }
}

/** A call that runs on a fork, and for whom. */
type Running = { name: string; isOver: boolean; endTurn?: () => void }

/** An engine at a block, with what was prepared on it, once it is `ready`, with the runs on it. A slow one takes no further runs until it is idle. */
type Fork = { process: SideProcess; place: string; ready: Promise<unknown>; runs: Set<Running>; isSlow: boolean }

function readLane(socket: string, start: () => Promise<SideProcess>, limits: ReadLimits) {
  let forks: Fork[] = []
  let starting = 0
  let ended = false
  const turns = callerTurns()
  const line = waitingLine(limits.waiting, turns)

  /** Forks that neither a long run nor a caller of such runs occupies. */
  const free = () =>
    limits.forks -
    forks.filter(({ isSlow, runs }) => isSlow || [...runs].some(({ name }) => turns.isHeavy(name))).length

  const next = () => line.next(free())

  const discard = async (fork: Fork) => {
    forks = forks.filter((one) => one !== fork)
    await fork.process.kill()
    next()
  }

  async function opened(read: EngineRead, run: Running): Promise<Fork> {
    starting += 1
    const started = start()
    try {
      const process = await within(limits.waitMs, started)
      const fork: Fork = { process, place: nowhere, ready: Promise.resolve(), runs: new Set([run]), isSlow: false }
      if (ended) await process.kill()
      else forks.push(fork)
      return moved(fork, socket, read)
    } catch (cause) {
      run.endTurn?.()
      // One that comes too late must not stay.
      void started.then((process) => process.kill()).catch(() => undefined)
      throw engineUnavailable({ cause })
    } finally {
      starting -= 1
    }
  }

  /**
   * A fork at the block: one that is there, else an idle or a new one, else the next that is free and that the turn of its
   * caller allows. It has the run at once, so that no other read finds it idle and moves it.
   */
  async function take(read: EngineRead, run: Running): Promise<Fork> {
    const deadline = performance.now() + limits.waitMs
    for (let tries = 0; ; tries += 1) {
      if (ended) throw engineUnavailable()
      read.signal?.throwIfAborted()
      forks = forks.filter(({ process }) => process.alive())
      if (turns.mayRun(run.name, free())) {
        const there = forks.find(({ place, isSlow }) => place === placeOf(read) && !isSlow)
        const idle = there ?? forks.find(({ runs }) => runs.size === 0)
        const canOpen = forks.length + starting < limits.forks
        if (idle !== undefined || canOpen) run.endTurn = turns.begin(run.name)
        idle?.runs.add(run)
        // Others who wait may share the fork.
        if (idle !== undefined && tries > 0) queueMicrotask(next)
        if (idle !== undefined) return idle === there ? idle : moved(idle, socket, read)
        if (canOpen) return await opened(read, run)
      }
      await line.wait(run.name, deadline - performance.now(), read.signal)
    }
  }

  function open(read: EngineRead): Run {
    const time = { left: limits.runMs }
    return (method, params) => call(read, time, method, params)
  }

  async function call(read: EngineRead, time: { left: number }, method: string, params: unknown): Promise<unknown> {
    for (let tries = 1; ; tries += 1) {
      if (time.left === 0) throw tooLong(limits.runMs / 1_000)
      const run: Running = { name: read.caller?.name ?? '', isOver: false }
      const fork = await take(read, run)
      const started = performance.now()
      const watched = watch(fork, run, { slowMs: limits.slowMs, runMs: time.left, signal: read.signal, discard })
      try {
        await fork.ready
        return await fork.process.call(method, params)
      } catch (error) {
        if (run.isOver) throw tooLong(limits.runMs / 1_000)
        // Another run of the same fork may have ended it.
        if (ended || tries === mostTries || !isEngineUnavailable(error)) throw error
      } finally {
        watched.end()
        run.endTurn?.()
        time.left = Math.max(0, time.left - (performance.now() - started))
        fork.runs.delete(run)
        if (fork.runs.size === 0) fork.isSlow = false
        next()
      }
    }
  }

  const end = async () => {
    ended = true
    line.all()
    await Promise.all(forks.map(({ process }) => process.kill()))
  }
  return { open, end }
}

function placeOf({ block, prepared }: EngineRead): string {
  return prepared === undefined ? `${block}` : `${block}, ${prepared.name}`
}

/** Sets a fork to the place of a read, on the engine at `socket`. Each run awaits it; without one, a failure concerns nobody. */
function moved(fork: Fork, socket: string, read: EngineRead): Fork {
  const { block, prepared } = read
  const reset = fork.process.call('anvil_reset', [{ forking: { jsonRpcUrl: socket, blockNumber: block } }])
  const ready = prepared === undefined ? reset : reset.then(() => prepared.work(fork.process.call))
  ready.catch(() => {
    // The next read of the block must not take a fork that is not there.
    if (fork.ready === ready) fork.place = nowhere
  })
  return Object.assign(fork, { place: placeOf(read), ready, isSlow: false })
}

type Watching = { slowMs: number; runMs: number; signal: AbortSignal | undefined; discard(fork: Fork): Promise<void> }

/** Retires the fork of a slow run, and ends it where the run takes too long or nobody waits for it any more. */
function watch(fork: Fork, run: Running, { slowMs, runMs, signal, discard }: Watching): { end(): void } {
  const discardUnread = () => {
    if (signal?.aborted === true && fork.isSlow && fork.runs.size === 1) void discard(fork)
  }
  const slow = setTimeout(() => {
    fork.isSlow = true
    discardUnread()
  }, slowMs)
  const over = setTimeout(() => {
    run.isOver = true
    void discard(fork)
  }, runMs)
  signal?.addEventListener('abort', discardUnread)
  return {
    end() {
      clearTimeout(slow)
      clearTimeout(over)
      signal?.removeEventListener('abort', discardUnread)
    },
  }
}
