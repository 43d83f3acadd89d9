import { engineUnavailable } from '../kit/rpc-error.ts'
import { within } from '../kit/within.ts'
import type { CallerTurns } from './caller-turns.ts'
import type { EngineRead, ReadLimits } from './reads.ts'
import { resetTo, type SideProcess } from './side-engine.ts'

/** A call that runs on a fork, and for whom. It is over where it took too long, and left where nobody waits for it. */
export type Running = { callerName: string; isOver: boolean; isLeft: boolean; endTurn: () => void }

/**
 * An engine at a block, with what was prepared on it, once it is `ready`; `process` is there once it has `started`. A
 * closed fork takes no further runs until it is idle.
 */
export type Fork = {
  process: SideProcess | undefined
  started: Promise<SideProcess>
  place: string
  ready: Promise<SideProcess>
  runs: Set<Running>
  isClosed: boolean
  hasFailed: boolean
}

/** Where a fork is that has not been set to a block, or whose reset has failed. */
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

  function opened(): Fork {
    const starting = start()
    const started: Promise<SideProcess> = within(limits.waitMs, starting).then(
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
    const fork: Fork = {
      process: undefined,
      started,
      place: nowhere,
      ready: started,
      runs: new Set(),
      isClosed: false,
      hasFailed: false,
    }
    forks.push(fork)
    return fork
  }

  /** Gives a run what `forkFor` found. From then on no other read moves the fork. */
  function occupy(found: Fork | 'new', read: EngineRead, run: Running): Fork {
    const fork = found === 'new' ? opened() : found
    fork.runs.add(run)
    if (fork.place !== placeOf(read)) move(fork, socket, read)
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
  return { forkFor, occupy, discard, makeRoom, end }
}

function placeOf({ block, prepared }: EngineRead): string {
  return prepared === undefined ? `${block}` : `${block}, ${prepared.name}`
}

/** Sets a fork to the place of a read, on the engine at `socket`. Each run awaits it; without one, a failure concerns nobody. */
function move(fork: Fork, socket: string, read: EngineRead): void {
  const ready = fork.started.then(async (process) => {
    await resetTo(process, socket, read.block)
    await read.prepared?.work(process.call)
    return process
  })
  ready.catch(() => {
    // The next read of the block must not take a fork that is not there.
    if (fork.ready === ready) fork.place = nowhere
  })
  Object.assign(fork, { place: placeOf(read), ready, isClosed: false })
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
