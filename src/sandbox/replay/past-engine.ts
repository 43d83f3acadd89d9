import type { NodeCaller } from '../../domain/ports/node.ts'
import type { BlockStore } from '../blocks/block-store.ts'
import type { StartEngine } from '../engine/chain-folder.ts'
import type { Engine } from '../engine/engine.ts'
import { fairQueue } from '../engine/fair-queue.ts'
import { tooLong } from '../engine/side-engine.ts'
import { listSnapshots, pastFolder, snapshotFile } from '../kit/files.ts'
import { RpcError } from '../kit/rpc-error.ts'
import { within } from '../kit/within.ts'
import { loadState, readState } from './load-state.ts'
import { mineAgain } from './mine-again.ts'

/** An engine that runs the chain again, for what the chain's own engine has forgotten. It is started when it is needed. */
export type PastEngine = {
  /**
   * Calls a method on an engine that mined a block as one of its last. Throws RpcError: -32002 with the progress while it
   * is on its way there, which goes on meanwhile.
   */
  call: (number: number, method: string, params: readonly unknown[], caller?: NodeCaller) => Promise<unknown>
  close: () => Promise<void>
}

export type PastOptions = { dir: string; store: BlockStore; start: StartEngine; runSeconds: number }

/** The last blocks whose transactions such an engine can trace. */
const states = 40

/** How long a call waits for the engine, and how long the engine then waits for the next call. */
const waitMs = 4_000
const idleMs = 60_000

/** Calls that wait: of one caller, and of all. */
const mostWaiting = { ofCaller: 2, all: 16 }

/** What running one block again counts as. */
const gasOfBlock = 50_000

/** An engine at block `at`, which was started from the state after block `from`. */
type Past = { engine: Engine; from: number; at: number }

/** Creates the past engine of a chain. One call runs at a time, and callers take turns. */
export function pastEngine({ dir, store, start, runSeconds }: PastOptions): PastEngine {
  const queue = fairQueue()
  let past: Past | undefined
  let closed = false
  let idle: NodeJS.Timeout | undefined

  async function end(): Promise<void> {
    const { engine } = past ?? {}
    past = undefined
    await engine?.kill()
  }

  /** The engine, where it may go on to the block or has just mined it, else another one at the nearest stored state. */
  async function startFor(number: number): Promise<Past> {
    const { snapshot, file } = nearestState(dir, number)
    const isNear = past?.engine.alive() && past.from < number && past.at - number < states && past.at >= snapshot
    if (past !== undefined && isNear) return past
    await end()
    const engine = await start(states, 19)
    const started = { engine, from: snapshot, at: snapshot }
    if (file !== null) await loadState(engine, await readState(file, { whole: false }))
    if (closed) await engine.kill()
    past = started
    return started
  }

  async function reach(number: number, spent: NodeCaller['spent']): Promise<Engine> {
    const run = await startFor(number)
    spent(Math.max(0, number - run.at) * gasOfBlock)
    for (; run.at < number; run.at += 1) await mineAgain(run.engine.call, store, run.at + 1, 'hash')
    return run.engine
  }

  async function callAt(number: number, method: string, params: readonly unknown[], spent: NodeCaller['spent']) {
    clearTimeout(idle)
    try {
      const engine = await reach(number, spent)
      return await within(1_000 * runSeconds, engine.call(method, params), () => tooLong(runSeconds))
    } catch (error) {
      // What it does after a failure is not known, and only its end stops a run.
      await end()
      throw error
    } finally {
      idle = setTimeout(() => void end(), idleMs).unref()
    }
  }

  return {
    async call(number, method, params, { name, spent } = { name: '', spent: () => undefined }) {
      if (queue.waiting(name) >= mostWaiting.ofCaller || queue.all() >= mostWaiting.all)
        throw notYet('too many old blocks are being run again')
      const result = queue.run(name, () => callAt(number, method, params, spent))
      result.catch(() => undefined)
      return await within(waitMs, result, () => {
        const at = past === undefined ? '' : ` and is at block ${past.at}`
        return notYet(`the chain is run again up to block ${number}${at}`)
      })
    },
    async close() {
      closed = true
      clearTimeout(idle)
      await end()
    },
  }
}

/** The newest stored state before a block, and its file; the first block, from which every engine starts, has none. */
function nearestState(dir: string, number: number): { snapshot: number; file: string | null } {
  const folders = [dir, pastFolder(dir)]
  const found = folders.flatMap((folder) => listSnapshots(folder).map((snapshot) => ({ folder, snapshot })))
  const [nearest] = found.filter(({ snapshot }) => snapshot < number).toSorted((a, b) => b.snapshot - a.snapshot)
  if (nearest === undefined) return { snapshot: 0, file: null }
  return { snapshot: nearest.snapshot, file: snapshotFile(nearest.folder, nearest.snapshot) }
}

function notYet(what: string): RpcError {
  return new RpcError(-32002, `${what}: try again in a few seconds`, { retryable: true })
}
