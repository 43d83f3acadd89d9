import type { Hex } from 'viem'
import { engineUnavailable, isEngineUnavailable, RpcError } from '../kit/rpc-error.ts'
import { within } from '../kit/within.ts'
import { fairLane } from './fair-lane.ts'

/** A second engine that runs what may take long in the place of one at work. */
export type SideEngine = {
  /**
   * Runs a method on the state after a block that the engine still has; there the block is the latest one. A run for a
   * sender's transaction waits in that sender's own queue. Throws CutOffError where it takes too long.
   */
  ask: (block: number, method: string, params: unknown, sender?: Hex) => Promise<unknown>
  /** Ends it, and has no further one started. */
  end: () => Promise<void>
}

/** The process of an engine, as far as this file uses one. */
type SideProcess = {
  call: (method: string, params: unknown) => Promise<unknown>
  alive: () => boolean
  kill: () => Promise<void>
}

/** How long a run may take, and how long the engine may take to be ready for it. */
const mostSeconds = 10

/** How many runs may wait for their turn: of anybody's questions, of one sender's transactions, and of all of these. */
const mostWaiting = { questions: 8, ofSender: 32, all: 256 }

/** Anybody's questions take turns with the senders, as one of them. */
const questions = 'questions'

/** A run was given up, since it took too long. */
export class CutOffError extends RpcError {
  override readonly name = 'CutOffError'
}

/**
 * Makes the side engine of the one that listens at a socket, of which it reads the state. An engine makes no block while
 * it traces, and nothing stops a trace but the end of its process: that of the side engine holds nobody up. It is
 * started at the first question.
 */
export function sideEngine(socket: string, start: () => Promise<SideProcess>): SideEngine {
  const lane = fairLane()
  let side: Promise<SideProcess> | undefined
  let ended = false

  const standing = async () => await side?.catch(() => undefined)

  /** The side engine, with the state after a block. */
  async function ready(block: number): Promise<SideProcess> {
    let current = await standing()
    if (ended) throw engineUnavailable()
    if (!current?.alive()) {
      side = start().catch((cause: unknown) => {
        throw engineUnavailable({ cause })
      })
      current = await side
    }
    await current.call('anvil_reset', [{ forking: { jsonRpcUrl: socket, blockNumber: block } }])
    return current
  }

  async function run(block: number, method: string, params: unknown): Promise<unknown> {
    try {
      const { call } = await within(1_000 * mostSeconds, ready(block))
      return await within(1_000 * mostSeconds, call(method, params), tooLong)
    } catch (error) {
      // Whatever it is at goes on until its process ends.
      if (isEngineUnavailable(error)) await (await standing())?.kill()
      throw error
    }
  }

  function hasRoom(sender: Hex | undefined): boolean {
    if (sender === undefined) return lane.waiting(questions) < mostWaiting.questions
    return lane.waiting(sender) < mostWaiting.ofSender && lane.all() < mostWaiting.all
  }

  return {
    ask: async (block, method, params, sender) => {
      if (!hasRoom(sender)) throw new RpcError(-32002, 'too many long runs wait; try again', { retryable: true })
      return await lane.run(sender ?? questions, () => run(block, method, params))
    },
    end: async () => {
      ended = true
      await (await standing())?.kill()
    },
  }
}

function tooLong(): CutOffError {
  const words = `the run takes longer than ${mostSeconds} seconds; try again with less gas`
  return new CutOffError(-32002, words, { retryable: true })
}
