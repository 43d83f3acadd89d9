import { setTimeout as sleep } from 'node:timers/promises'
import { DomainError } from '../../domain/core/errors.ts'
import type { Hex, Reorganisation } from '../../domain/ports/chains.ts'
import type { HeadChange, NodeObject } from '../../domain/ports/node.ts'
import { createFeed } from '../async/feed.ts'
import { createListeners } from '../async/listeners.ts'
import { createPollTimes } from './poll-times.ts'
import { blockReader } from './read-blocks.ts'
import { createSteps } from './steps.ts'
import type { TrackedBlock } from './tracked-block.ts'
import type { Upstream } from './upstream.ts'
import { createWindow, mostBlocks } from './window.ts'

/** The canonical chain as far as it has been read. */
export type Heads = AsyncDisposable & {
  /**
   * The newest block. Calls the upstream only where it does not report new blocks, or reported one that is not read
   * yet.
   */
  newest(): Promise<TrackedBlock>
  /**
   * The newest block, or where that needs a call, one that was the newest less than 100 ms ago, or is until the next one of
   * a regular chain is due.
   */
  recent(): Promise<TrackedBlock>
  /** The hash of the newest block that was read. */
  hash(): Hex
  /** The block of a number, where it is among the newest that were read; else null. */
  followed(number: bigint): TrackedBlock | null
  /** Whether a block, by its hash or its number, is of the chain as far as it has been read. */
  has(block: Hex | bigint): boolean
  /** Reads until the newest block that the upstream has reported, so that no caller sees the chain go back. */
  catchUp(number: bigint): Promise<void>
  changes(signal: AbortSignal): AsyncGenerator<HeadChange, void, undefined>
  /** Calls back when blocks have left the chain, or may have, without a call of the upstream. Returns what ends it. */
  onReorganised(listener: (seen: Reorganisation) => void): () => void
}

/** How many blocks are read at first, so that a reorganisation can be reported. */
const readAtFirst = 64
/** How many changes may wait for a reader, and how many missed blocks are read after an interruption. */
const mostMissed = 1_000
const retryMs = 250
/** How often an empty list is read again. The number is bounded, because a chain's blooms may be wrong. */
const mostDoubts = 8

/**
 * Follows the canonical chain. After each notification of the upstream, and every `pollMs`, it reads back to the last
 * common block and reports the changes to every reader. A reader that cannot receive all of them gets UNAVAILABLE.
 */
export async function trackHeads(upstream: Upstream, pollMs: number): Promise<Heads> {
  const closing = new AbortController()
  const feed = createFeed<HeadChange>(mostMissed)
  const blocks = blockReader(upstream, readLogs, closing.signal)
  const first = await blocks.back(await blocks.latest(), readAtFirst)
  const known = createWindow(first, upstream.finalized)
  const times = createPollTimes(pollMs, { reports: upstream.pushesHeads })
  for (const { number, header } of first) times.saw(number, Number(header.timestamp))
  const reorganised = createListeners<Reorganisation>()
  let hinted = -1n
  /** Begins at one, for the blocks before the subscription. */
  let hints = 1
  let handledHints = 0
  const steps = createSteps(step, { everyMs: times.nextMs, retryMs })
  const stopHints = upstream.onHint((number) => {
    hinted = number ?? hinted
    hints += 1
    steps.begin()
  })
  steps.begin()

  async function step(): Promise<void> {
    const handling = hints
    const began = performance.now()
    const latest = await blocks.latest()
    times.saw(latest.number, Number(latest.header.timestamp))
    // A known block that is not the newest comes from a node that lags, or has not switched yet.
    if (!known.has(latest.hash)) await follow(latest, began)
    handledHints = handling
    times.knew(began)
    // The hint may come from a faster node than the one that was called.
    if (known.newest().number < hinted) steps.beginIn(retryMs)
  }

  async function follow(latest: TrackedBlock, began: number): Promise<void> {
    const added = await linkedTo(known, blocks, latest)
    const isFork = added === 'unconnected' || (added !== 'missed' && added[0]?.parentHash !== known.newest().hash)
    // One node may be on a fork that the others have left, lag far behind, or not have switched yet.
    if (isFork && (await upstream.isGone?.(known.newest())) === false) return steps.beginIn(retryMs)
    if (typeof added === 'string') return restart(latest, added)
    const removed = known.advance(added)
    times.knew(began) // before anybody hears of it, who would read it again
    feed.publish({ removed, added })
    for (const { number } of removed.slice(-1)) reorganised.call({ lowest: number, deepest: null })
  }

  /** Too many blocks are missing, or they do not connect, so the changes cannot be reported. */
  function restart(latest: TrackedBlock, why: Unlinked): void {
    reorganised.call({ lowest: 0n, deepest: why === 'unconnected' ? oldestOf(known) : null })
    known.restart(latest)
    feed.fail(missed())
  }

  /**
   * Reads a block's logs, through failures and restarts of the node. It is called only for blocks whose bloom announces
   * logs, so an empty list means that the node has not indexed them yet. A block that was removed before anybody read
   * its logs has none.
   */
  async function readLogs(block: TrackedBlock): Promise<readonly NodeObject[]> {
    for (let doubts = 0; ; ) {
      try {
        const call = ['eth_getLogs', [{ blockHash: block.hash }], closing.signal, { suits: hasSome }] as const
        const logs = (await upstream.request(...call)) as NodeObject[]
        if (hasSome(logs) || doubts === mostDoubts) return logs
        doubts += 1
      } catch (failure) {
        if (closing.signal.aborted || !(failure instanceof DomainError) || !passing.has(failure.code)) throw failure
        if (failure.code === 'NOT_FOUND') await steps.begin().catch(() => undefined)
      }
      if (known.isTakenBack(block)) return noLogsOf(block)
      await sleep(retryMs, undefined, { signal: closing.signal })
    }
  }

  async function newest(): Promise<TrackedBlock> {
    if (!upstream.pushesHeads()) await steps.begin()
    else if (handledHints < hints) await steps.last()
    return known.newest()
  }

  return {
    newest,
    recent: async () => (times.isRecent() ? known.newest() : await newest()),
    hash: () => known.newest().hash,
    followed: known.at,
    has: (block) => (typeof block === 'bigint' ? block <= known.newest().number : known.has(block)),
    async catchUp(number) {
      if (number > known.newest().number) await steps.begin().catch(() => undefined)
    },
    changes: feed.read,
    onReorganised: reorganised.add,
    async [Symbol.asyncDispose]() {
      stopHints()
      closing.abort()
      await steps.close()
      feed.end()
    },
  }
}

/** Why blocks are not linked to known ones: too many are missing, or they do not connect. */
type Unlinked = 'missed' | 'unconnected'

/** The blocks from the one after a known one up to the latest, or why there are none. */
async function linkedTo(
  known: ReturnType<typeof createWindow>,
  blocks: ReturnType<typeof blockReader>,
  latest: TrackedBlock,
): Promise<TrackedBlock[] | Unlinked> {
  if (latest.number - known.newest().number > mostMissed) return 'missed'
  const parents = await blocks.between(known.newest().number, latest.number)
  const added = [latest]
  for (let oldest = latest; !known.has(oldest.parentHash); added.unshift(oldest)) {
    if (oldest.number <= known.oldest().number) return 'unconnected'
    if (added.length >= mostMissed) return 'missed'
    oldest = parents.get(oldest.parentHash) ?? (await blocks.byHash(oldest.parentHash))
  }
  return added
}

/** The oldest block of a full window; null where it is not full yet, and proves no reorganisation of its whole depth. */
function oldestOf({ oldest, newest }: ReturnType<typeof createWindow>): Reorganisation['deepest'] {
  const { number, hash } = oldest()
  return newest().number - number >= mostBlocks - 1 ? { number, hash } : null
}

function hasSome(logs: unknown): boolean {
  return Array.isArray(logs) && logs.length > 0
}

function missed(): DomainError {
  return new DomainError('UNAVAILABLE', 'Too many blocks were missed. Read the chain again, then subscribe again.')
}

function noLogsOf(removed: TrackedBlock): readonly NodeObject[] {
  if (removed.wasRead()) throw forgotten()
  return []
}

function forgotten(): DomainError {
  return new DomainError('UNAVAILABLE', 'The removed logs are no longer stored. Read the range again.')
}

/** Failures after which the same call may succeed. */
const passing: ReadonlySet<string> = new Set(['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'NOT_FOUND'])
