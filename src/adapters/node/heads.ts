import { setTimeout as sleep } from 'node:timers/promises'
import { DomainError } from '../../domain/core/errors.ts'
import type { Hex } from '../../domain/ports/chains.ts'
import type { HeadChange, NodeObject } from '../../domain/ports/node.ts'
import { createFeed } from '../async/feed.ts'
import { blockReader } from './read-blocks.ts'
import { createSteps } from './steps.ts'
import type { TrackedBlock } from './tracked-block.ts'
import type { Upstream } from './upstream.ts'
import { createWindow } from './window.ts'

/** The canonical chain as far as it is known here. */
export type Heads = AsyncDisposable & {
  /** The newest block. Asks the upstream only where it does not tell of blocks, or told of one that is not read yet. */
  newest(): Promise<TrackedBlock>
  /** The hash of the newest block that was read. */
  hash(): Hex
  /** Reads on if the upstream has shown a block beyond the newest one, so that nobody sees the chain go back. */
  catchUp(number: bigint): Promise<void>
  changes(signal: AbortSignal): AsyncGenerator<HeadChange, void, undefined>
}

/** How many blocks are read at first, so that they can be taken back. */
const readAtFirst = 64
/** How many changes may wait for a reader, and how many blocks are filled in after a silence. */
const patience = 1_000
const retryMs = 250
/** How often an empty list is asked for again: a chain whose blooms say nothing true must not hold its readers up. */
const mostDoubts = 8

/**
 * Follows the canonical chain: what the upstream hints at, and what a look every `pollMs` finds, is read back to the
 * last common block and told to every reader. A reader that cannot be told all of it gets UNAVAILABLE.
 */
export async function trackHeads(upstream: Upstream, pollMs: number): Promise<Heads> {
  const closing = new AbortController()
  const feed = createFeed<HeadChange>(patience)
  const blocks = blockReader(upstream, readLogs, closing.signal)
  const known = createWindow(await blocks.back(await blocks.latest(), readAtFirst), upstream.finalized)
  let hinted = -1n
  /** The first hint stands for what happened until somebody listened. */
  let hints = 1
  let answeredHints = 0
  const steps = createSteps(step, { everyMs: pollMs, retryMs })
  const stopHints = upstream.onHint((number) => {
    hinted = number ?? hinted
    hints += 1
    steps.begin()
  })
  steps.begin()

  async function step(): Promise<void> {
    const answering = hints
    const latest = await blocks.latest()
    // A block of ours that is not the newest comes from a node that lags, or that has yet to replace it.
    if (!known.has(latest.hash)) await follow(latest)
    answeredHints = answering
    // The hint may come from a node that is faster than the one that was asked.
    if (known.newest().number < hinted) steps.beginIn(retryMs)
  }

  async function follow(latest: TrackedBlock): Promise<void> {
    if (latest.number - known.newest().number > patience) return restart(latest)
    const parents = await blocks.between(known.newest().number, latest.number)
    const added = [latest]
    for (let oldest = latest; !known.has(oldest.parentHash); added.unshift(oldest)) {
      if (added.length >= patience || oldest.number <= known.oldest().number) return restart(latest)
      oldest = parents.get(oldest.parentHash) ?? (await blocks.byHash(oldest.parentHash))
    }
    feed.publish({ removed: known.advance(added), added })
  }

  /** The blocks in between are too many or lead elsewhere, so that nobody can be told what happened to which. */
  function restart(latest: TrackedBlock): void {
    known.restart(latest)
    const advice = 'The chain has moved on too far unheard; read it anew and subscribe again.'
    feed.fail(new DomainError('UNAVAILABLE', advice))
  }

  /**
   * Through silences and restarts of the node. It is only asked of blocks whose bloom says that there are logs, so that
   * a node which knows of none has yet to learn them. A block that was taken back before anybody read its logs has none.
   */
  async function readLogs(block: TrackedBlock): Promise<readonly NodeObject[]> {
    for (let doubts = 0; ; ) {
      try {
        const filter = { blockHash: block.hash }
        const logs = (await upstream.request('eth_getLogs', [filter], closing.signal, {
          suits: hasSome,
        })) as NodeObject[]
        if (hasSome(logs) || doubts === mostDoubts) return logs
        doubts += 1
      } catch (failure) {
        if (closing.signal.aborted || !(failure instanceof DomainError) || !passing.has(failure.code)) throw failure
        if (failure.code === 'NOT_FOUND') await steps.begin().catch(() => undefined)
      }
      if (known.isTakenBack(block) && block.wasRead()) throw forgotten()
      if (known.isTakenBack(block)) return []
      await sleep(retryMs, undefined, { signal: closing.signal })
    }
  }

  return {
    async newest() {
      if (!upstream.pushesHeads()) await steps.begin()
      else if (answeredHints < hints) await steps.last()
      return known.newest()
    },
    hash: () => known.newest().hash,
    async catchUp(number) {
      if (number > known.newest().number) await steps.begin().catch(() => undefined)
    },
    changes: feed.read,
    async [Symbol.asyncDispose]() {
      stopHints()
      closing.abort()
      await steps.close()
      feed.end()
    },
  }
}

function hasSome(logs: unknown): boolean {
  return Array.isArray(logs) && logs.length > 0
}

function forgotten(): DomainError {
  return new DomainError('UNAVAILABLE', 'The logs that were taken back are no longer known; read the range anew.')
}

/** Failures after which the same question may be answered. */
const passing: ReadonlySet<string> = new Set(['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'NOT_FOUND'])
