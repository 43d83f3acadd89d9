import { DomainError } from '../../../domain/core/errors.ts'
import type { UpstreamState } from '../../../domain/ports/chains.ts'
import { neverAborts } from '../../../kit/values.ts'
import { isSilence, TimeoutError } from '../errors/failures.ts'
import { isKnownAlready, nodeError } from '../errors/node-errors.ts'
import type { Request } from '../upstream.ts'
import { type CallNode, httpNode } from './http-node.ts'

/** Several nodes of one chain with failover. */
type NodePool = {
  /** Calls the first healthy node, and the next ones where it does not respond or cannot serve the call. */
  request: Request
  /** Reads the height of each node, and finds out whether it responds again. Never throws. */
  check(): Promise<void>
  /** What the calls so far have shown of each node, in the order of the addresses. */
  states(): UpstreamState[]
}

type Member = {
  host: string
  call: CallNode
  /** Failures in a row, and until when (as `performance.now()`) the others are called first. */
  failures: number
  restsUntil: number
  /** Number of its newest block, as last checked. */
  height: number
  /** Milliseconds that its last result took; null before the first one. */
  latencyMs: number | null
  joined: boolean
}

/** A node more blocks behind the highest one than this is called last. */
const tolerableLag = 5
/**
 * How long a node is avoided after its first failure, at most, and after a timeout: each call of a hanging node costs
 * the caller the whole timeout.
 */
const restMs = { first: 500, most: 30_000, hanging: 30_000 }

/** The last two labels of a host name: some providers put the caller's key before them. */
function shownHost(host: string): string {
  return /^[\d.]+$|:/.test(host) ? host : host.split('.').slice(-2).join('.')
}

type PoolOptions = {
  /** The setting that names the nodes, where all must be of one chain: a node of another chain is then not used. */
  oneChain?: string
  /** How long a node may take to respond. */
  timeoutMs?: number
}

/** Creates a pool of the nodes at these addresses, the preferred one first. */
export function nodePool(addresses: readonly string[], options: PoolOptions = {}): NodePool {
  const { oneChain, timeoutMs = 10_000 } = options
  const admit = oneChain === undefined ? async () => {} : sameChain(oneChain)
  const members: Member[] = addresses.map((address) => ({
    host: shownHost(new URL(address).hostname),
    call: httpNode(address, timeoutMs),
    failures: 0,
    restsUntil: 0,
    height: 0,
    latencyMs: null,
    joined: false,
  }))

  function inOrder(): Member[] {
    const best = Math.max(...members.map(({ height }) => height))
    const rank = (member: Member) => (rests(member) ? 2 : best - member.height > tolerableLag ? 1 : 0)
    return members.toSorted((left, right) => rank(left) - rank(right))
  }

  async function callOne(member: Member, ...[method, params, signal]: Parameters<CallNode>): Promise<unknown> {
    try {
      if (!member.joined) await admit(member.call)
      member.joined = true
      const began = performance.now()
      const result = await member.call(method, params, signal)
      member.latencyMs = Math.round(performance.now() - began)
      member.failures = 0
      member.restsUntil = 0
      return result
    } catch (thrown) {
      const failure = nodeError(method, thrown)
      if (failure.code === 'UNAVAILABLE') rest(member, failure)
      throw failure
    }
  }

  return {
    async request(method, params, signal, { suits = () => true, unanimous = false } = {}) {
      const unsuitable: unknown[] = []
      const failures: DomainError[] = []
      const hasResponse = () => unsuitable.length > 0 || failures.some((failure) => !isSilence(failure))
      for (const member of inOrder()) {
        if (isDown(member) && hasResponse()) break
        try {
          const result = await callOne(member, method, params, signal)
          if (suits(result)) return result
          unsuitable.push(result)
        } catch (thrown) {
          const failure = nodeError(method, thrown)
          failures.push(failure)
          const holds = unanimous ? holdsForAll(failure) : !anotherMay.has(failure.code)
          if (signal.aborted || (holds && unsuitable.length === 0)) throw failure
        }
      }
      if (unsuitable.length > 0) return unsuitable[0]
      const silent = unanimous ? failures.find(isSilence) : undefined
      throw silent ?? failures.at(-1) ?? new DomainError('UNAVAILABLE', 'No node is configured for this chain.')
    },
    async check() {
      const look = async (member: Member) => {
        member.height = Number(await callOne(member, 'eth_blockNumber', [], neverAborts))
      }
      await Promise.allSettled(members.map(look))
    },
    states: () => members.map((member) => stateOf(member, members)),
  }
}

function rest(member: Member, { cause }: DomainError): void {
  const duration =
    cause instanceof TimeoutError ? restMs.hanging : Math.min(restMs.most, restMs.first * 2 ** member.failures)
  member.restsUntil = performance.now() + duration
  member.failures += cause instanceof TimeoutError ? downAfter : 1
}

/** A node that never joined has not responded yet, or is of another chain. A height of 0 was never read. */
function stateOf({ host, failures, height, latencyMs, joined }: Member, members: readonly Member[]): UpstreamState {
  const best = Math.max(...members.map((member) => member.height))
  const blocksBehind = height === 0 ? null : best - height
  const healthy = joined && failures === 0 && (blocksBehind ?? 0) <= tolerableLag
  return { name: host, healthy, latencyMs, blocksBehind }
}

function rests({ restsUntil }: Member): boolean {
  return restsUntil > performance.now()
}

/** After so many failures in a row a node counts as down: it is called only where no other responds. */
const downAfter = 2

function isDown(member: Member): boolean {
  return member.failures >= downAfter && rests(member)
}

/**
 * Another node may respond, or have what this one lacks. An expensive call that timed out (DEADLINE_EXCEEDED) is not
 * repeated, unless the call is `unanimous`.
 */
const anotherMay: ReadonlySet<string> = new Set(['UNAVAILABLE', 'UNIMPLEMENTED', 'NOT_FOUND'])

/** A revert is a result of the call, and a transaction that one node has is sent. */
function holdsForAll(failure: DomainError): boolean {
  return failure.code === 'EXECUTION_REVERTED' || isKnownAlready(failure)
}

/** Returns a check that all nodes are of one chain; the first one that responds determines it. */
function sameChain(setting: string): (call: CallNode) => Promise<void> {
  let chain: unknown
  return async (call) => {
    const found = await call('eth_chainId', [], neverAborts)
    chain ??= found
    if (found !== chain)
      throw new DomainError('UNAVAILABLE', `The nodes of this chain serve different chains. Check ${setting}.`)
  }
}
