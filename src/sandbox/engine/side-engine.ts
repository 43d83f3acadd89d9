import { exclusiveLane } from '../durable/exclusive.ts'
import type { Engine } from './engine.ts'
import { engineUnavailable, RpcError } from './rpc-error.ts'

/** A second engine that runs what may take long in the place of one at work. */
export type SideEngine = {
  ask: Engine['beside']
  /** Ends it, and has no further one started. */
  end: () => Promise<void>
}

type SideProcess = Pick<Engine, 'call' | 'alive' | 'kill'>

/** How long a run may take, in seconds, and how many may wait for their turn. */
const most = { seconds: 10, waiting: 8 }

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
  const lane = exclusiveLane()
  let side: Promise<SideProcess> | undefined
  let waiting = 0
  let ended = false

  const standing = async () => await side?.catch(() => undefined)

  /** The side engine, with the state after a block. */
  async function ready(block: number): Promise<SideProcess> {
    let current = await standing()
    if (ended) throw engineUnavailable()
    if (!current?.alive()) {
      side = start()
      current = await side
    }
    await current.call('anvil_reset', [{ forking: { jsonRpcUrl: socket, blockNumber: block } }])
    return current
  }

  async function run(block: number, method: string, params: unknown): Promise<unknown> {
    const { call, kill } = await ready(block)
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      const words = `the run takes longer than ${most.seconds} seconds; try again with less gas`
      timer = setTimeout(() => reject(new CutOffError(-32002, words, { retryable: true })), 1_000 * most.seconds)
    })
    try {
      return await Promise.race([call(method, params), late])
    } catch (error) {
      if (error instanceof CutOffError) await kill()
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    ask: async (block, method, params) => {
      if (waiting > most.waiting) throw new RpcError(-32002, 'too many long runs wait; try again', { retryable: true })
      waiting += 1
      try {
        return await lane(() => run(block, method, params))
      } finally {
        waiting -= 1
      }
    },
    end: async () => {
      ended = true
      await (await standing())?.kill()
    },
  }
}
