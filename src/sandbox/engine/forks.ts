import { engineUnavailable } from '../kit/rpc-error.ts'
import { within } from '../kit/within.ts'
import type { CallerTurns } from './caller-turns.ts'
import type { EngineRead, ReadLimits } from './reads.ts'
import type { SideProcess } from './side-engine.ts'

/** A call that runs on a fork, and for whom. It is over where it took too long, and left where nobody waits for it. */
export type Running = { callerName: string; isOver: boolean; isLeft: boolean; endTurn: () => void }

/**
 * An engine at a block, with what was prepared on it, once it is `ready`; `process` is there once it was started. A closed
 * fork takes no further runs until it is idle.
 */
export type Fork = {
  process: SideProcess | undefined
  place: string
  ready: Promise<SideProcess>
  runs: Set<Running>
  isClosed: boolean
  hasFailed: boolean
}

/** Where a fork is whose reset has failed. */
const nowhere = 'nowhere'

/** The forks of one lane. */
export function forkSet(
  socket: string,
  start: () => Promise<SideProcess>,
  { limits, turns, changed }: { limits: ReadLimits; turns: CallerTurns; changed: () => void },
) {
  let forks: Fork[] = []

  const isOccupied = ({ isClosed, runs }: Fork) =>
    isClosed || [...runs].some(({ callerName }) => turns.isHeavy(callerName))

  async function discard(fork: Fork): Promise<void> {
    forks = forks.filter((one) => one !== fork)
    await fork.process?.kill()
    changed()
  }

  function opened(read: EngineRead): Fork {
    const fork: Fork = {
      process: undefined,
      place: '',
      ready: never,
      runs: new Set(),
      isClosed: false,
      hasFailed: false,
    }
    const starting = start()
    const started = within(limits.waitMs, starting).then(
      async (process) => {
        fork.process = process
        if (!forks.includes(fork)) await process.kill()
        return process
      },
      (cause: unknown) => {
        fork.hasFailed = true
        void discard(fork)
        // One that comes too late must not stay.
        void starting.then((process) => process.kill()).catch(() => undefined)
        throw engineUnavailable({ cause })
      },
    )
    forks.push(fork)
    move(fork, started, socket, read)
    return fork
  }

  /** What a read may run on now: a fork at its place, else an idle or a new one. */
  function forkFor(read: EngineRead, callerName: string): Fork | 'new' | undefined {
    forks = forks.filter(({ process }) => process?.alive() !== false)
    const there = forks.find(({ place, isClosed }) => place === placeOf(read) && !isClosed)
    const found =
      there ?? forks.find(({ runs }) => runs.size === 0) ?? (forks.length < limits.forks ? 'new' : undefined)
    const spreads = forks.some((fork) => fork !== found && [...fork.runs].some((run) => run.callerName === callerName))
    const free = limits.forks - forks.filter(isOccupied).length
    return turns.mayRun(callerName, { free, spreads }) ? found : undefined
  }

  /** Closes a fork where a read waits for one, so that it becomes idle: cheap runs of one block may follow each other. */
  function makeRoom(): void {
    if (forks.length < limits.forks || forks.some(({ isClosed }) => isClosed)) return
    const [least] = forks.toSorted((one, other) => one.runs.size - other.runs.size)
    if (least !== undefined) least.isClosed = true
  }

  const end = async () => {
    const all = forks
    forks = []
    await Promise.all(all.map(({ process }) => process?.kill()))
  }
  return { forkFor, opened, discard, makeRoom, end }
}

const never = new Promise<never>(() => undefined)

export function placeOf({ block, prepared }: EngineRead): string {
  return prepared === undefined ? `${block}` : `${block}, ${prepared.name}`
}

/** Sets a fork to the place of a read, on the engine at `socket`. Each run awaits it; without one, a failure concerns nobody. */
export function move(
  fork: Fork,
  started: Promise<SideProcess>,
  socket: string,
  { block, prepared, ...read }: EngineRead,
): void {
  const moving = async (process: SideProcess) => {
    await process.call('anvil_reset', [{ forking: { jsonRpcUrl: socket, blockNumber: block } }])
    await prepared?.work(process.call)
    return process
  }
  // A failure at the place before concerns this one only where there is no process.
  const ready = (fork.process === undefined ? started : Promise.resolve(fork.process)).then(moving)
  ready.catch(() => {
    // The next read of the block must not take a fork that is not there.
    if (fork.ready === ready) fork.place = nowhere
  })
  Object.assign(fork, { place: placeOf({ block, prepared, ...read }), ready, isClosed: false })
}

type Watching = { slowMs: number; runMs: number; signal: AbortSignal | undefined; discard(fork: Fork): Promise<void> }

/** Closes the fork of a slow run, and ends it where the run takes too long or nobody waits for any of its runs. */
export function watch(fork: Fork, run: Running, { slowMs, runMs, signal, discard }: Watching): { end(): void } {
  const discardUnread = () => {
    run.isLeft = signal?.aborted === true
    if (fork.isClosed && [...fork.runs].every(({ isLeft }) => isLeft)) void discard(fork)
  }
  const slow = setTimeout(() => {
    fork.isClosed = true
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
