import { createKeyedTasks } from '../../kit/keyed-tasks.ts'
import type { Chain } from '../ports/chains.ts'
import type { Ports } from '../ports/index.ts'
import type { FinalBlock } from '../ports/trade-policy.ts'

/**
 * Watches that blocks stay on their chain after the books took them as final. Nothing else does: a trade is not confirmed
 * again once it is final.
 */
export type FinalWatch = {
  /** Stores the newest block with trades that is final. */
  note(chain: Chain, block: FinalBlock): Promise<void>
  /** Checks what is due. Call it at each block; it reads the chain once a minute at most, and not while nothing is due. */
  look(chain: Chain): Promise<void>
  close(): Promise<void>
}

type WatchOptions = {
  /** Receives why trading on a chain was halted. */
  halted: (chain: Chain, reason: string) => void
  failed: (failure: unknown) => void
}

/** `lowest`: the lowest block that may have left the chain; null while nothing is due. `seen`: by a reorganisation. */
type Watched = { lowest: bigint | null; seen: boolean; deepest: FinalBlock | null; checkedAt: number }

const everyMs = 60_000

/** Begins to watch every chain whose blocks can leave it. */
export function createFinalWatch(
  ports: Pick<Ports, 'chains' | 'clock' | 'finalBlocks'>,
  { halted, failed }: WatchOptions,
): FinalWatch {
  const tasks = createKeyedTasks(Number.POSITIVE_INFINITY, failed)
  const watched = new Map<number, Watched>()
  const stops: (() => void)[] = []

  /** Whether the block is no longer on the chain; null where that is not known. */
  async function isLost(chain: Chain, block: FinalBlock, seen: boolean): Promise<boolean | null> {
    // One node is enough to know that all is well, unless there are signs of the contrary.
    if (!seen && (await chain.blockHash(block.number)) === block.hash) return false
    return await chain.replaced(block)
  }

  async function halt(chain: Chain, block: FinalBlock, remembered: boolean): Promise<void> {
    const { id: chainId } = chain.info
    const what = remembered
      ? 'which was final and has trades of this gateway,'
      : 'with the 255 blocks that followed it,'
    const reason = `Trading on chain ${chainId} is halted: block ${block.number} (${block.hash}), ${what} is no longer on the chain.`
    const isNew = await ports.finalBlocks.halt({ chainId, block, remembered, reason, at: ports.clock.now() })
    if (isNew) halted(chain, reason)
  }

  async function check(chain: Chain, state: Watched): Promise<void> {
    const { lowest, seen, deepest } = state
    if (lowest === null) return
    Object.assign(state, { lowest: null, seen: false, deepest: null, checkedAt: ports.clock.now().getTime() })
    const again = () => Object.assign(state, { lowest: 0n, seen, deepest: state.deepest ?? deepest })
    try {
      const newest = await ports.finalBlocks.newest(chain.info.id)
      const suspects = newest !== null && newest.number >= lowest ? [{ block: newest, remembered: true }] : []
      const deep = deepest === null ? [] : [{ block: deepest, remembered: false }]
      for (const { block, remembered } of [...suspects, ...deep]) {
        const lost = await isLost(chain, block, seen)
        if (lost === null) again()
        else if (lost) await halt(chain, block, remembered)
      }
    } catch (failure) {
      again()
      throw failure
    }
  }

  const schedule = (chain: Chain, state: Watched) => tasks.schedule(`final ${chain.info.id}`, () => check(chain, state))

  for (const chain of ports.chains.all) {
    if (chain.info.sandbox) continue
    // Due at once: blocks may have left the chain while no process ran.
    const state: Watched = { lowest: 0n, seen: true, deepest: null, checkedAt: 0 }
    watched.set(chain.info.id, state)
    const stop = chain.onReorganised(({ lowest, deepest }) => {
      state.lowest = state.lowest === null || lowest < state.lowest ? lowest : state.lowest
      state.seen = true
      state.deepest ??= deepest
      schedule(chain, state)
    })
    stops.push(stop)
  }

  return {
    async note(chain, block) {
      const state = watched.get(chain.info.id)
      if (state === undefined) return
      // After signs that blocks left the chain the one before is checked first: only the newest is stored.
      if (state.seen) await check(chain, state).catch(failed)
      await ports.finalBlocks.note(chain.info.id, block)
      state.lowest = 0n
    },
    async look(chain) {
      const state = watched.get(chain.info.id)
      if (state === undefined || state.lowest === null) return
      if (ports.clock.now().getTime() - state.checkedAt >= everyMs) schedule(chain, state)
    },
    async close() {
      for (const stop of stops) stop()
      await tasks.close()
    },
  }
}
