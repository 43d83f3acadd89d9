import { setTimeout as sleep } from 'node:timers/promises'
import { DomainError } from '../../../domain/core/errors.ts'
import type { UpstreamState } from '../../../domain/ports/chains.ts'
import { quantityOf } from '../../../kit/hex.ts'
import { cancelled } from '../../async/single-flight.ts'
import { createCallTally, type ReportCall } from '../call-tally.ts'
import { isMissingBlock, isSilence, TimeoutError } from '../errors/failures.ts'
import { nodeError } from '../errors/node-errors.ts'
import type { Request, RequestOptions } from '../upstream.ts'
import { blockNeeded } from './block-needed.ts'
import { httpNode } from './http-node.ts'
import { type PoolMember, poolMember } from './pool-member.ts'
import { readHedged } from './read-hedged.ts'
import { sendToAll } from './send-to-all.ts'
import { shownHost } from './shown-host.ts'

/** Several nodes of one chain with failover. */
export type NodePool = {
  /**
   * Reads from the best node, and from the next ones where it is late, fails or cannot serve the call; a transaction goes
   * to all of them.
   */
  request: Request
  /** Reads the height of each node, and finds out whether it responds again. Never throws. */
  check(): Promise<void>
  /** Whether most of the nodes that respond have another block at this number, or none. */
  isGone(block: { number: bigint; hash: string }): Promise<boolean>
  /** Whether most nodes have another block at this number; null where too few of them have one. */
  isReplaced(block: { number: bigint; hash: string }): Promise<boolean | null>
  /** What the calls so far have shown of each node, in the order of the addresses. */
  states(): UpstreamState[]
}

type PoolOptions = {
  /** The setting that names the nodes, where all must be of one chain: a node of another chain is then not used. */
  oneChain?: string
  /** Id of the chain, where it is known before the first call. */
  chainId?: number
  /** How long a node may take to respond. */
  timeoutMs?: number
  /** Most bytes of a response; 64 MiB unless given. */
  mostBytes?: number
  /** Receives each call of each node. */
  report?: ReportCall | undefined
}

/** Milliseconds before each retry of a read that no node answered. */
const pausesMs = [150, 300, 600]
/** A read that took longer than this is not repeated. */
const mostRetriedMs = 5_000
/** How long a node may take to say its height. */
const checkMs = 2_000

/** Creates a pool of the nodes at these addresses, the preferred one first. */
export function nodePool(addresses: readonly string[], options: PoolOptions = {}): NodePool {
  const { oneChain, timeoutMs = 10_000 } = options
  // Of one node alone, its own chain is told to who compares it.
  const chain: { id: number | null } = { id: addresses.length > 1 ? (options.chainId ?? null) : null }
  const admit = oneChain === undefined ? async () => {} : sameChain(oneChain, chain)
  const members = addresses.map((address, index) => {
    const host = shownHost(new URL(address).hostname)
    const chainId = () => options.chainId ?? chain.id
    const name = () => [chainId() ?? [], host, index + 1].flat().join('/')
    const tally = createCallTally(() => ({ upstream: name(), chainId: chainId() }), options.report)
    return poolMember({ name, call: httpNode(address, timeoutMs, options.mostBytes), admit, tally })
  })
  const highest = () => newestOf(members.map((member) => member.height()))

  function inOrder(method: string): PoolMember[] {
    const best = highest()
    return members.toSorted((left, right) => left.standing(method, best) - right.standing(method, best))
  }

  /** The block without which a node's answer would be older than what the pool has shown before. */
  function needed(method: string, params: readonly unknown[]): bigint {
    if (members.length === 1) return -1n
    const newest = newestOf(members.map((member) => member.shown()))
    return blockNeeded(method, params, newest)
  }

  /** The blocks that the nodes which respond have at a number, null where one has none. */
  async function blocksAt(number: bigint) {
    const call = ['eth_getBlockByNumber', [quantityOf(number), false]] as const
    const look = async (member: PoolMember) => (await member.within(checkMs, ...call)) as { hash: string } | null
    const up = members.filter((member) => !member.isDown())
    const answers = await Promise.allSettled(up.map(look))
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
  }

  return {
    async request(method, params, signal, given = {}) {
      if (method === 'eth_sendRawTransaction') return await sendToAll(inOrder(method), params, signal)
      const began = performance.now()
      for (let tries = 0; ; tries += 1) {
        try {
          const result = await readHedged({
            members: inOrder(method),
            method,
            params,
            signal,
            needs: needed(method, params),
            ...given,
          })
          for (const member of members) member.tryAgain(method, params)
          return result
        } catch (thrown) {
          const failure = nodeError(method, thrown)
          const pause = pausesMs[tries]
          const isLate = performance.now() - began > mostRetriedMs
          if (pause === undefined || isLate || signal.aborted || !mayPass(failure, given)) throw failure
          await sleep(pause, undefined, { signal }).catch(() => Promise.reject(cancelled()))
        }
      }
    },
    async check() {
      const look = async (member: PoolMember) => ({
        member,
        height: BigInt(String(await member.within(checkMs, 'eth_blockNumber', []))),
      })
      const found = (await Promise.allSettled(members.map(look))).flatMap((one) =>
        one.status === 'fulfilled' ? [one.value] : [],
      )
      for (const { member, height } of found) member.checked(height)
    },
    async isGone({ number, hash }) {
      if (members.length === 1) return true
      const blocks = await blocksAt(number)
      return blocks.filter((block) => block?.hash !== hash).length * 2 > blocks.length
    },
    async isReplaced({ number, hash }) {
      const blocks = await blocksAt(number)
      const same = blocks.filter((block) => block?.hash === hash).length
      const others = blocks.filter((block) => block !== null).length - same
      // Most of all nodes, those that are down included: one that is left must not halt trading.
      if (others * 2 > members.length) return true
      return same * 2 > members.length ? false : null
    },
    states: () => members.map((member) => member.state(highest())),
  }
}

/** The largest of the numbers of blocks; -1 where there is none. */
function newestOf(numbers: readonly bigint[]): bigint {
  let newest = -1n
  for (const number of numbers) if (number > newest) newest = number
  return newest
}

/** Whether the same read may succeed in a moment. */
function mayPass(failure: DomainError, { exists = false, persistent = false }: RequestOptions): boolean {
  if (failure.cause instanceof TimeoutError) return false
  return (persistent && failure.code === 'UNAVAILABLE' && isSilence(failure)) || (exists && isMissingBlock(failure))
}

type Admit = Parameters<typeof poolMember>[0]['admit']

/** Returns a check that all nodes are of one chain; the first one that responds determines it. */
function sameChain(setting: string, chain: { id: number | null }): Admit {
  return async (call, signal) => {
    const found = Number(await call('eth_chainId', [], signal))
    chain.id ??= found
    if (found !== chain.id)
      throw new DomainError('UNAVAILABLE', `The nodes of this chain serve different chains. Check ${setting}.`)
  }
}
