import { setTimeout as sleep } from 'node:timers/promises'
import { DomainError } from '../../domain/core/errors.ts'
import type { Hex } from '../../domain/ports/chains.ts'
import type { HeadChange, NodeObject } from '../../domain/ports/node.ts'
import { createFeed } from '../async/feed.ts'
import { createPollTimes } from './poll-times.ts'
import { blockReader } from './read-blocks.ts'
import { createSteps } from './steps.ts'
import type { TrackedBlock } from './tracked-block.ts'
import type { Upstream } from './upstream.ts'
import { createWindow } from './window.ts'

/** The canonical chain as far as it has been read. */
export type Heads = AsyncDisposable & {
  /**
   * The newest block. Calls the upstream only where it does not report new blocks, or reported one that is not read
   * yet.
   */
  newest(): Promise<TrackedBlock>
  /** The newest block, or where that needs a call, one that was the newest less than 100 ms ago. */
  recent(): Promise<TrackedBlock>
  /** The hash of the newest block that was read. */
  hash(): Hex
  /** The hash of the block of a number, where it is among the newest that were read; else null. */
  hashAt(number: bigint): Hex | null
  /** Whether a block, by its hash or its number, is of the chain as far as it has been read. */
  has(block: Hex | bigint): boolean
  /** Reads until the newest block that the upstream has reported, so that no caller sees the chain go back. */
  catchUp(number: bigint): Promise<void>
  changes(signal: AbortSignal): AsyncGenerator<HeadChange, void, undefined>
}

/** How many blocks are read at first, so that a reorganisation can be reported. */
const readAtFirst = 64
/** How many changes may wait for a reader, and how many missed blocks are read after an interruption. */
const mostMissed = 1_000
const retryMs = 250
/** How often the newest block is read all the same where the upstream reports each. */
const lostReportMs = 15_000
/** For how many milliseconds a block that was read counts as recent. One operation reads the head several times. */
const recentMs = 100
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
  const known = createWindow(await blocks.back(await blocks.latest(), readAtFirst), upstream.finalized)
  const times = createPollTimes(pollMs)
  let hinted = -1n
  /** Begins at one, for the blocks before the subscription. */
  let hints = 1
  let handledHints = 0
  const steps = createSteps(step, { everyMs, retryMs })
  const stopHints = upstream.onHint((number) => {
    hinted = number ?? hinted
    hints += 1
    steps.begin()
  })
  steps.begin()

  let readAt = -Infinity

  /** While each block is reported, only a report that was lost is read for. */
  function everyMs(): number {
    return upstream.pushesHeads() ? Math.max(pollMs, lostReportMs) : times.nextMs()
  }

  async function step(): Promise<void> {
    const handling = hints
    const began = performance.now()
    const latest = await blocks.latest()
    times.saw(latest.number, Number(latest.header.timestamp))
    // A known block that is not the newest comes from a node that lags, or has not switched yet.
    if (!known.has(latest.hash)) await follow(latest)
    handledHints = handling
    readAt = began
    // The hint may come from a faster node than the one that was called.
    if (known.newest().number < hinted) steps.beginIn(retryMs)
  }

  async function follow(latest: TrackedBlock): Promise<void> {
    const added = await linkedTo(known, blocks, latest)
    if (added === null) return restart(latest)
    const isFork = added[0]?.parentHash !== known.newest().hash
    // One node may be on a fork that the others have left, or not have switched yet.
    if (isFork && (await upstream.isGone?.(known.newest())) === false) return steps.beginIn(retryMs)
    feed.publish({ removed: known.advance(added), added })
  }

  /** The changes cannot be reported. */
  function restart(latest: TrackedBlock): void {
    known.restart(latest)
    const advice = 'Too many blocks were missed. Read the chain again, then subscribe again.'
    feed.fail(new DomainError('UNAVAILABLE', advice))
  }

  /**
   * Reads a block's logs, through failures and restarts of the node. It is called only for blocks whose bloom announces
   * logs, so an empty list means that the node has not indexed them yet. A block that was removed before anybody read
   * its logs has none.
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

  async function newest(): Promise<TrackedBlock> {
    if (!upstream.pushesHeads()) await steps.begin()
    else if (handledHints < hints) await steps.last()
    return known.newest()
  }

  return {
    newest,
    async recent() {
      const isRecent = !upstream.pushesHeads() && performance.now() - readAt < recentMs
      return isRecent ? known.newest() : await newest()
    },
    hash: () => known.newest().hash,
    hashAt: known.hashAt,
    has: (block) => (typeof block === 'bigint' ? block <= known.newest().number : known.has(block)),
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

/** The blocks from the one after a known one up to the latest; null where too many are missing or they do not connect. */
async function linkedTo(
  known: ReturnType<typeof createWindow>,
  blocks: ReturnType<typeof blockReader>,
  latest: TrackedBlock,
): Promise<TrackedBlock[] | null> {
  if (latest.number - known.newest().number > mostMissed) return null
  const parents = await blocks.between(known.newest().number, latest.number)
  const added = [latest]
  for (let oldest = latest; !known.has(oldest.parentHash); added.unshift(oldest)) {
    if (added.length >= mostMissed || oldest.number <= known.oldest().number) return null
    oldest = parents.get(oldest.parentHash) ?? (await blocks.byHash(oldest.parentHash))
  }
  return added
}

function hasSome(logs: unknown): boolean {
  return Array.isArray(logs) && logs.length > 0
}

function forgotten(): DomainError {
  return new DomainError('UNAVAILABLE', 'The removed logs are no longer stored. Read the range again.')
}

/** Failures after which the same call may succeed. */
const passing: ReadonlySet<string> = new Set(['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'NOT_FOUND'])
