import { DomainError } from '../../../domain/core/errors.ts'
import type { UpstreamState } from '../../../domain/ports/chains.ts'
import { timeLimit } from '../../../kit/time-limit.ts'
import { cancelled } from '../../async/single-flight.ts'
import { type CallTally, countedMethod } from '../call-tally.ts'
import { nodeError } from '../errors/node-errors.ts'
import { createCallRecord } from './call-record.ts'
import type { CallNode } from './http-node.ts'
import { newestShown, showsNewest } from './newest-shown.ts'

/** How soon a node is called for a method; the lower the better. */
const standing = { ready: 0, behind: 1, failing: 2, resting: 3, lacking: 4 } as const
type Standing = (typeof standing)[keyof typeof standing]

/** One node of a pool, and what its calls have shown of it. */
export type PoolMember = {
  /** Calls it when its turn comes. Throws DomainError. */
  call: CallNode
  /** The same, and whether its answer is older than the block of a number: it had not shown that block before. */
  callAt(number: bigint, ...call: Parameters<CallNode>): Promise<{ result: unknown; isBehind: boolean }>
  /** The same, for at most so long; a node that takes longer counts as one that another node has overtaken. */
  within(milliseconds: number, method: string, params: readonly unknown[]): Promise<unknown>
  /** Calls a method at which it failed some time ago, beside a node that serves it, to see whether it does again. */
  tryAgain(method: string, params: readonly unknown[]): void
  /** How soon it is called for the method, given the height of the highest node. */
  standing(method: string, highest: bigint): Standing
  /** True where it failed several times in a row, so that it is called only if no other node responds. */
  isDown(): boolean
  /** How many milliseconds its caller waits before another node is called too. */
  patienceMs(method: string): number
  /** Notes that another node answered a call that this one had not answered since `began`. */
  overtaken(method: string, began: number): void
  /** Number of its newest block, as last checked; -1 before the first check. */
  height(): bigint
  checked(height: bigint): void
  /** Number of the newest block that any of its answers has shown. */
  shown(): bigint
  state(highest: bigint): UpstreamState
}

/** A node that is more blocks behind the highest one than this is called last. */
const tolerableLag = 1n
/** After so many failures in a row a node counts as down. */
const downAfter = 2
/** A node whose rate is limited so that a call waits longer than this is called after others. */
const shortWaitMs = 50
/** How long a caller waits for a turn. */
const longestWaitMs = 1_000
/** Before another node is called too: at least, and as a multiple of what the method usually takes there. */
const patience = { leastMs: 400, hardMs: 900, times: 2.5, mostMs: 5_000 }
const hard = /^debug_|simulate/

/** How many milliseconds a caller waits for a node before another one is called too. */
function patienceOf(method: string, usualMs: number): number {
  const least = hard.test(method) ? patience.hardMs : patience.leastMs
  return Math.min(patience.mostMs, Math.max(least, patience.times * usualMs))
}

type MemberOptions = {
  name: () => string
  call: CallNode
  /** Runs before its first call and throws where it must not be used. */
  admit: (call: CallNode, signal: AbortSignal) => Promise<void>
  tally: CallTally
}

/** Creates the memory of a node. */
export function poolMember({ name, admit, tally, ...node }: MemberOptions): PoolMember {
  const call: CallNode = (method, ...rest) => tally.counted(method, () => node.call(method, ...rest))
  const record = createCallRecord()
  const { rests, pace } = record
  let joined = false
  let height = -1n

  const callNow: CallNode = async (method, params, signal) => {
    if (pace.waitMs() > longestWaitMs) throw limited()
    let began = performance.now()
    try {
      await pace.turn(signal)
      began = performance.now()
      if (!joined) await admit(call, signal)
      joined = true
      const result = await call(method, params, signal)
      record.answered({ method, params, result, ms: performance.now() - began })
      return result
    } catch (thrown) {
      // A caller that leaves, also while it waits for its turn, says nothing about the node.
      if (signal.aborted) throw cancelled()
      const failure = nodeError(method, thrown)
      record.failed(method, began, failure)
      throw failure
    }
  }

  async function within(milliseconds: number, method: string, params: readonly unknown[]): Promise<unknown> {
    const began = performance.now()
    const late = timeLimit(milliseconds)
    try {
      return await callNow(method, params, late)
    } catch (failure) {
      if (late.aborted) rests.failed(method, began, 'silent')
      throw failure
    }
  }

  const isLagging = (highest: bigint) => height >= 0n && highest - height > tolerableLag
  return {
    call: callNow,
    async callAt(number, method, params, signal) {
      const began = performance.now()
      const isKnown = record.shown() >= number || showsNewest(method, params)
      const [result] = await Promise.all([
        callNow(method, params, signal),
        isKnown ? null : within(trialMs, 'eth_blockNumber', []).catch(() => null),
      ])
      // What it says of its newest block counts for that answer alone: it may lag at one method.
      const own = newestShown(method, params, result) ?? record.shown()
      if (number - own > tolerableLag) rests.lacked(began)
      return { result, isBehind: own < number }
    },
    within,
    tryAgain(method, params) {
      if (hard.test(method) || rests.whole().rests || !rests.isDue(method)) return
      rests.postpone(method)
      within(trialMs, method, params).catch(() => undefined)
    },
    standing(method, highest) {
      if (rests.whole().rests) return standing.resting
      if (record.lacks(method)) return standing.lacking
      // An expensive call is not made beside another one only to see whether it is served again.
      const mayServe = hard.test(method) && rests.isDue(method)
      if (rests.fails(method) && !mayServe) return standing.failing
      return rests.isBehind() || isLagging(highest) || pace.waitMs() > shortWaitMs ? standing.behind : standing.ready
    },
    isDown: () => rests.whole().rests && rests.whole().failures >= downAfter,
    patienceMs: (method) => patienceOf(method, record.usualMs(method)),
    overtaken: (method, began) => rests.failed(method, began, 'silent'),
    height: () => height,
    checked(found) {
      height = found
      record.checked(found)
    },
    shown: record.shown,
    state(highest) {
      const blocksBehind = height < 0n ? null : Number(highest - height)
      const healthy = joined && rests.whole().failures === 0 && !isLagging(highest)
      return {
        name: name(),
        healthy,
        latencyMs: record.latencyMs(),
        blocksBehind,
        calls: tally.byMethod(),
        failingMethods: [...new Set(rests.failing().map(countedMethod))],
        slowedByMs: Math.ceil(Math.max(pace.gapMs(), pace.waitMs())),
      }
    },
  }
}

/** How long a node may take for a call that shows whether it serves a method again. */
const trialMs = 2_000
function limited(): DomainError {
  return new DomainError('UNAVAILABLE', 'The node behind this gateway limits its rate; try again in a few seconds.')
}
