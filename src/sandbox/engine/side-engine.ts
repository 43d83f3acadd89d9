import type { Hex } from 'viem'
import { engineUnavailable, isEngineUnavailable, RpcError } from '../kit/rpc-error.ts'
import { within } from '../kit/within.ts'
import { fairQueue } from './fair-queue.ts'

/** A second engine for calls that may take long. An engine produces no block while it traces. */
export type SideEngine = {
  /**
   * Calls a method on the state after a block that the main engine still has; that block is `latest` there. A call for a
   * sender's transaction waits in a queue of that sender. Throws CutOffError where it takes too long.
   */
  call: (block: number, method: string, params: unknown, sender?: Hex) => Promise<unknown>
  /** Ends the process; no other one is started. */
  end: () => Promise<void>
}

/** The part of an engine process that its owners use. */
export type SideProcess = {
  call: (method: string, params: unknown) => Promise<unknown>
  alive: () => boolean
  kill: () => Promise<void>
}

/** The longest run, and the longest wait for the engine to be ready for it. */
const maxSeconds = 10

/** How many calls may wait: of public reads, of one sender's transactions, and of all together. */
const maxWaiting = { reads: 8, ofSender: 32, all: 256 }

/** Public reads share one queue, which takes turns with those of the senders. */
const readQueue = 'reads'

/** A run was ended because it took too long. */
export class CutOffError extends RpcError {
  override readonly name = 'CutOffError'
}

/**
 * Creates the side engine of the one that listens at `socket`, whose state it reads. It is started with the first call.
 * Only the end of its process stops a trace, which does not delay the main engine.
 */
export function sideEngine(socket: string, start: () => Promise<SideProcess>): SideEngine {
  const queue = fairQueue()
  let side: Promise<SideProcess> | undefined
  let ended = false

  const running = async () => await side?.catch(() => undefined)

  /** The side engine, reset to the state after a block. */
  async function ready(block: number): Promise<SideProcess> {
    let current = await running()
    if (ended) throw engineUnavailable()
    if (!current?.alive()) {
      side = start().catch((cause: unknown) => {
        throw engineUnavailable({ cause })
      })
      current = await side
    }
    await resetTo(current, socket, block)
    return current
  }

  async function run(block: number, method: string, params: unknown): Promise<unknown> {
    try {
      const { call } = await within(1_000 * maxSeconds, ready(block))
      return await within(1_000 * maxSeconds, call(method, params), () => tooLong(maxSeconds))
    } catch (error) {
      // The run would go on until its process ends.
      if (isEngineUnavailable(error)) await (await running())?.kill()
      throw error
    }
  }

  function hasRoom(sender: Hex | undefined): boolean {
    if (sender === undefined) return queue.waiting(readQueue) < maxWaiting.reads
    return queue.waiting(sender) < maxWaiting.ofSender && queue.all() < maxWaiting.all
  }

  return {
    call: async (block, method, params, sender) => {
      if (!hasRoom(sender))
        throw new RpcError(-32002, 'too many long runs are waiting: try again later', { retryable: true })
      return await queue.run(sender ?? readQueue, () => run(block, method, params))
    },
    end: async () => {
      ended = true
      await (await running())?.kill()
    },
  }
}

/** Sets a fork of the engine that listens at `socket` to the state after a block. */
export async function resetTo({ call }: Pick<SideProcess, 'call'>, socket: string, block: number): Promise<void> {
  await call('anvil_reset', [{ forking: { jsonRpcUrl: socket, blockNumber: block } }])
}

/** The refusal of a run that was ended after so many seconds. */
export function tooLong(seconds: number): CutOffError {
  const message = `the run takes longer than ${seconds} s: request less gas, or a smaller trace`
  return new CutOffError(-32002, message, { retryable: true })
}
