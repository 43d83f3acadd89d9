import { setTimeout as sleep } from 'node:timers/promises'
import { DomainError } from '../../domain/errors.ts'
import type { Hex } from '../../domain/ports/chains.ts'
import type { HeadChange, NodeObject } from '../../domain/ports/node.ts'
import { createFeed } from './feed.ts'
import { createSteps } from './steps.ts'
import { type TrackedBlock, trackedBlock } from './tracked-block.ts'
import type { Upstream } from './upstream.ts'

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

/** How many blocks are known, and so how deep a reorganisation is followed. */
const window = 256
/** How many of them are read at first. */
const readAtFirst = 64
/** How many changes may wait for a reader, and how many blocks are filled in after a silence. */
const patience = 1_000
/** How many logs are remembered, over all blocks. */
const rememberedLogs = 50_000
const retryMs = 250

/**
 * Follows the canonical chain: what the upstream hints at, and what a look every `pollMs` finds, is read back to the
 * last common block and told to every reader. A reader that cannot be told all of it gets UNAVAILABLE.
 */
export async function trackHeads(upstream: Upstream, pollMs: number): Promise<Heads> {
  const closing = new AbortController()
  const feed = createFeed<HeadChange>(patience)
  const takenBack = new WeakSet<TrackedBlock>()
  let known = await readBack(await readBlock('eth_getBlockByNumber', 'latest'))
  let hinted = -1n
  let hints = 0
  let answeredHints = 0
  const steps = createSteps(step, { everyMs: pollMs, retryMs })
  const stopHints = upstream.onHint((number) => {
    hinted = number ?? hinted
    hints += 1
    steps.begin()
  })

  function newest(): TrackedBlock {
    return known.at(-1) as TrackedBlock // it begins with one block and never loses the last
  }

  function isKnown(hash: Hex): boolean {
    return known.findLast((block) => block.hash === hash) !== undefined
  }

  async function step(): Promise<void> {
    const answering = hints
    const latest = await readBlock('eth_getBlockByNumber', 'latest')
    // A block of ours that is not the newest comes from a node that lags, or that has yet to replace it.
    if (!isKnown(latest.hash)) await follow(latest)
    answeredHints = answering
    // The hint may come from a node that is faster than the one that was asked.
    if (newest().number < hinted) steps.beginIn(retryMs)
  }

  async function follow(latest: TrackedBlock): Promise<void> {
    if (latest.number - newest().number > patience) return restart(latest)
    const parents = await readBetween(newest().number, latest.number)
    const added = [latest]
    for (let oldest = latest; !isKnown(oldest.parentHash); added.unshift(oldest)) {
      if (added.length >= patience || oldest.number <= (known[0]?.number ?? 0n)) return restart(latest)
      oldest = parents.get(oldest.parentHash) ?? (await readBlock('eth_getBlockByHash', oldest.parentHash))
    }
    const base = known.findLastIndex((block) => block.hash === added[0]?.parentHash)
    const removed = known.slice(base + 1).toReversed()
    for (const block of removed) takenBack.add(block)
    known = [...known.slice(0, base + 1), ...added].slice(-window)
    forgetLogs()
    feed.tell({ removed, added })
  }

  /** The blocks that lead to the first one, as far as they can be had, so that it can be taken back too. */
  async function readBack(first: TrackedBlock): Promise<TrackedBlock[]> {
    const from = first.number - BigInt(readAtFirst)
    const parents = await readBetween(from < 0n ? -1n : from, first.number).catch(() => new Map<Hex, TrackedBlock>())
    const found = [first]
    for (let parent = parents.get(first.parentHash); parent !== undefined; parent = parents.get(parent.parentHash))
      found.unshift(parent)
    return found
  }

  /** The blocks of a gap by hash, read side by side; what of them is not of the chain is of no harm. */
  async function readBetween(from: bigint, to: bigint): Promise<Map<Hex, TrackedBlock>> {
    const found = new Map<Hex, TrackedBlock>()
    for (let first = from + 1n; first < to; first += 16n) {
      const numbers = Array.from({ length: 16 }, (_, index) => first + BigInt(index)).filter((number) => number < to)
      const blocks = await Promise.all(
        numbers.map((number) => readBlock('eth_getBlockByNumber', `0x${number.toString(16)}`)),
      )
      for (const block of blocks) found.set(block.hash, block)
    }
    return found
  }

  /** The blocks in between are too many or lead elsewhere, so that nobody can be told what happened to which. */
  function restart(latest: TrackedBlock): void {
    known = [latest]
    feed.fail(
      new DomainError('UNAVAILABLE', 'The chain has moved on too far unheard; read it anew and subscribe again.'),
    )
  }

  async function readBlock(method: string, id: string): Promise<TrackedBlock> {
    const wire = (await upstream.request(method, [id, false], closing.signal)) as NodeObject | null
    if (wire === null) throw new DomainError('UNAVAILABLE', 'The chain is being reorganised; try again.')
    return trackedBlock(wire, readLogs)
  }

  /** Through silences and restarts of the node. A block that was taken back before anybody read its logs has none. */
  async function readLogs(block: TrackedBlock): Promise<readonly NodeObject[]> {
    while (true) {
      try {
        const logs = await upstream.request('eth_getLogs', [{ blockHash: block.hash }], closing.signal)
        return logs as NodeObject[]
      } catch (failure) {
        if (closing.signal.aborted || !(failure instanceof DomainError) || !passing.has(failure.code)) throw failure
        if (failure.code === 'NOT_FOUND') await steps.begin().catch(() => undefined)
        if (takenBack.has(block) && block.wasRead()) throw forgotten()
        if (takenBack.has(block)) return []
      }
      await sleep(retryMs, undefined, { signal: closing.signal })
    }
  }

  /** Final blocks are not taken back, so their logs need not be remembered; of the others only so many can be. */
  function forgetLogs(): void {
    let logs = 0
    for (const block of known.toReversed()) {
      logs += block.remembered()
      if (block.number <= upstream.finalized() || logs > rememberedLogs) block.forget()
    }
  }

  return {
    async newest() {
      if (!upstream.tellsHeads()) await steps.begin()
      else if (answeredHints < hints) await steps.last()
      return newest()
    },
    hash: () => newest().hash,
    async catchUp(number) {
      if (number > newest().number) await steps.begin().catch(() => undefined)
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

function forgotten(): DomainError {
  return new DomainError('UNAVAILABLE', 'The logs that were taken back are no longer known; read the range anew.')
}

/** Failures after which the same question may be answered. */
const passing: ReadonlySet<string> = new Set(['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'NOT_FOUND'])
