import { DomainError } from '../../../domain/core/errors.ts'
import { nodeError } from '../errors/node-errors.ts'
import { type AskNode, httpNode } from './http-node.ts'

/** Several nodes of one chain that stand in for each other. */
export type NodePool = {
  /**
   * Asks the first node that is well, and the next ones where it does not answer or cannot, or where its answer does not
   * suit: then the first answer stands if no other does, whatever the others fail at.
   */
  request(...asked: [...Parameters<AskNode>, suits?: (answer: unknown) => boolean]): Promise<unknown>
  /** Looks how far each node is and whether it answers again. Never throws. */
  check(): Promise<void>
}

type Member = {
  ask: AskNode
  /** Failures in a row, and until when the others are asked first. */
  failures: number
  restsUntil: number
  height: number
  joined: boolean
}

/** A node so many blocks behind the best one is asked last. */
const tolerableLag = 5
const restMs = { first: 500, most: 30_000 }

export type PoolOptions = {
  /** The setting that names the nodes, where they are of one chain: one of another chain then answers nobody. */
  oneChain?: string
  /** How long a node may be silent. */
  timeoutMs?: number
}

/** Makes a pool of the nodes at these addresses; which is first matters while all are well. */
export function nodePool(addresses: readonly string[], options: PoolOptions = {}): NodePool {
  const { oneChain, timeoutMs = 10_000 } = options
  const admit = oneChain === undefined ? async () => {} : sameChain(oneChain)
  const members: Member[] = addresses.map((address) => ({
    ask: httpNode(address, timeoutMs),
    failures: 0,
    restsUntil: 0,
    height: 0,
    joined: false,
  }))

  function inOrder(): Member[] {
    const best = Math.max(...members.map(({ height }) => height))
    const now = performance.now()
    const rank = ({ restsUntil, height }: Member) => (restsUntil > now ? 2 : best - height > tolerableLag ? 1 : 0)
    return members.toSorted((left, right) => rank(left) - rank(right))
  }

  async function askOne(member: Member, ...[method, params, signal]: Parameters<AskNode>): Promise<unknown> {
    try {
      if (!member.joined) await admit(member.ask)
      member.joined = true
      const answer = await member.ask(method, params, signal)
      member.failures = 0
      member.restsUntil = 0
      return answer
    } catch (thrown) {
      const error = nodeError(method, thrown)
      if (error.code === 'UNAVAILABLE') {
        member.restsUntil = performance.now() + Math.min(restMs.most, restMs.first * 2 ** member.failures)
        member.failures += 1
      }
      throw error
    }
  }

  return {
    async request(method, params, signal, suits = () => true) {
      let last = new DomainError('UNAVAILABLE', 'No node is configured for this chain.')
      const passedOver: unknown[] = []
      for (const member of inOrder()) {
        try {
          const answer = await askOne(member, method, params, signal)
          if (suits(answer)) return answer
          passedOver.push(answer)
        } catch (thrown) {
          last = nodeError(method, thrown)
          const isFinal = !anotherMay.has(last.code) && passedOver.length === 0
          if (isFinal || signal.aborted) throw last
        }
      }
      if (passedOver.length > 0) return passedOver[0]
      throw last
    },
    async check() {
      const never = new AbortController().signal
      const look = async (member: Member) => {
        member.height = Number(await askOne(member, 'eth_blockNumber', [], never))
      }
      await Promise.allSettled(members.map(look))
    },
  }
}

/** What one node does not answer or does not have, another may. What takes one too long, takes the next one so too. */
const anotherMay: ReadonlySet<string> = new Set(['UNAVAILABLE', 'UNIMPLEMENTED', 'NOT_FOUND'])

/** Makes the check that no two nodes are of different chains; the first one that answers says which it is. */
function sameChain(setting: string): (ask: AskNode) => Promise<void> {
  let chain: unknown
  return async (ask) => {
    const found = await ask('eth_chainId', [], new AbortController().signal)
    chain ??= found
    if (found !== chain)
      throw new DomainError('UNAVAILABLE', `The nodes of this chain are of different chains; check ${setting}.`)
  }
}
