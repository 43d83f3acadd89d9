import { existsSync } from 'node:fs'
import type { NodeCaller } from '../../domain/ports/node.ts'
import type { BlockStore } from '../blocks/block-store.ts'
import type { StartEngine } from '../engine/chain-folder.ts'
import type { Engine } from '../engine/engine.ts'
import { fairQueue } from '../engine/fair-queue.ts'
import { tooLong } from '../engine/side-engine.ts'
import { listSnapshots, pastFolder, snapshotFile } from '../kit/files.ts'
import { engineUnavailable, RpcError } from '../kit/rpc-error.ts'
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

type PastOptions = { dir: string; store: BlockStore; start: StartEngine; runSeconds: number }

/** The last blocks whose transactions such an engine can trace. */
const states = 40

/** How long a call waits for the engine, and how long the engine then waits for the next call. */
const waitMs = 4_000
const idleMs = 60_000

/** Calls that wait: of one caller, and of all. */
const mostWaiting = { ofCaller: 2, all: 16 }

/** Outcomes that wait for their callers, and how long. */
const mostOutcomes = 16
const keptMs = 60_000

/** The most blocks that are run again: a folder of an earlier version has no states of its past. */
const mostBlocks = 10_000

/** What running one block again counts as. */
const gasOfBlock = 50_000

/** An engine at block `at`, which was started from the state after block `from`. */
type Past = { engine: Engine; from: number; at: number }

/** Creates the past engine of a chain. One call runs at a time, and callers take turns. */
export function pastEngine({ dir, store, start, runSeconds }: PastOptions): PastEngine {
  const queue = fairQueue()
  let past: Past | undefined
  const outcomes = new Map<string, Promise<unknown>>()
  let closed = false
  let idle: NodeJS.Timeout | undefined

  async function end(): Promise<void> {
    const { engine } = past ?? {}
    past = undefined
    await engine?.kill()
  }

  /** The engine, where it may go on to the block or has just mined it, else another one at the nearest stored state. */
  async function startFor(number: number): Promise<Past> {
    const stored = storedStates(dir, number)
    const [nearest = 0] = stored
    if (number - nearest > mostBlocks)
      throw new RpcError(4444, `state not available: the block is more than ${mostBlocks} blocks after a stored state`)
    const isNear = past?.engine.alive() && past.from < number && past.at - number < states && past.at >= nearest
    if (past !== undefined && isNear) return past
    for (const block of [...stored, 0]) {
      await end()
      if (closed) break
      const started = { engine: await start(states, 19), from: block, at: block }
      past = started
      if (block === 0 || (await isLoaded(started.engine, stateFile(dir, block)))) return started
    }
    throw engineUnavailable()
  }

  async function reach(number: number, spent: NodeCaller['spent']): Promise<Engine> {
    const run = await startFor(number)
    spent(Math.max(0, number - run.at) * gasOfBlock)
    for (; run.at < number; run.at += 1) await mineAgain(run.engine.call, store, run.at + 1, 'hash')
    return run.engine
  }

  async function callAt(number: number, method: string, params: readonly unknown[], spent: NodeCaller['spent']) {
    clearTimeout(idle)
    if (closed) throw engineUnavailable()
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

  /** Begins a call, whose outcome waits for its caller to ask again: meanwhile the engine may move on for others. */
  function begin(key: string, name: string, work: () => Promise<unknown>): Promise<unknown> {
    if (queue.waiting(name) >= mostWaiting.ofCaller || queue.all() >= mostWaiting.all)
      throw notYet('too many old blocks are being run again')
    const outcome = queue.run(name, work)
    const forget = () => void outcomes.delete(key)
    outcomes.set(key, outcome)
    outcome.then(() => setTimeout(forget, keptMs).unref(), forget)
    if (outcomes.size > mostOutcomes) outcomes.delete(outcomes.keys().next().value ?? '')
    return outcome
  }

  return {
    async call(number, method, params, { name, spent } = { name: '', spent: () => undefined }) {
      const key = JSON.stringify([number, method, params])
      const outcome = outcomes.get(key) ?? begin(key, name, () => callAt(number, method, params, spent))
      return await within(waitMs, outcome, () => {
        const at = past === undefined || past.at >= number ? '' : ` and is at block ${past.at}`
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

/** The stored states before a block, newest first, by the block that they follow. */
function storedStates(dir: string, number: number): number[] {
  const all = [...listSnapshots(dir), ...listSnapshots(pastFolder(dir))]
  return all.filter((block) => block < number).toSorted((one, other) => other - one)
}

function stateFile(dir: string, block: number): string {
  const file = snapshotFile(dir, block)
  return existsSync(file) ? file : snapshotFile(pastFolder(dir), block)
}

/** Loads a state; false where it is damaged, or was moved meanwhile. */
async function isLoaded(engine: Engine, file: string): Promise<boolean> {
  try {
    await loadState(engine, await readState(file, { whole: false }))
    return true
  } catch {
    return false
  }
}

function notYet(what: string): RpcError {
  return new RpcError(-32002, `${what}: try again in a few seconds`, { retryable: true })
}
