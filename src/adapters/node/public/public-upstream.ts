import type { Hex } from '../../../domain/ports/chains.ts'
import type { Upstream } from '../upstream.ts'
import { type HintSocket, hintSocket } from './hint-socket.ts'
import { mendedAnswer } from './mended-answers.ts'
import { nodePool } from './node-pool.ts'

/** Addresses of nodes by HTTP, the preferred one first, and of one by WebSocket that tells of new blocks. */
export type PublicNodes = {
  rpcUrls: readonly string[]
  wsUrl: string | null
  /** How long a node may be silent before another one is asked; 10 s unless given. */
  timeoutMs?: number
}

const checkMs = 5_000

/** Public nodes as an upstream. Later ones stand in for earlier ones; those that fail are asked again after a while. */
export async function publicUpstream(nodes: PublicNodes): Promise<Upstream & AsyncDisposable> {
  const { rpcUrls, wsUrl, ...patience } = nodes
  const pool = nodePool(rpcUrls, { ...patience, oneChain: 'CHAIN_RPC_URL' })
  const hints = new Set<(number?: bigint) => void>()
  const pending = new Set<(hash: Hex) => void>()
  const closing = new AbortController()
  let finalized = -1n

  async function look(): Promise<void> {
    if (rpcUrls.length > 1) await pool.check()
    // Where a node does not know the tag, nothing counts as final.
    const block = await pool.request('eth_getBlockByNumber', ['finalized', false], closing.signal).catch(() => null)
    const number = (block as { number?: unknown } | null)?.number
    if (typeof number === 'string' && BigInt(number) > finalized) finalized = BigInt(number)
  }

  await look()
  const timer = setInterval(() => void look(), checkMs)
  const tell = <T>(listeners: Set<(value: T) => void>, value: T) => {
    for (const listener of listeners) listener(value)
  }
  const socket: HintSocket | null =
    wsUrl === null
      ? null
      : hintSocket(wsUrl, { head: (number) => tell(hints, number), pending: (hash) => tell(pending, hash) })
  return {
    request: async (method, ...asked) => mendedAnswer(method, await pool.request(method, ...asked)),
    tellsHeads: () => socket?.alive() ?? false,
    onHint: adding(hints),
    onPending: adding(pending),
    finalized: () => finalized,
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      closing.abort()
      socket?.close()
    },
  }
}

function adding<L>(listeners: Set<L>): (listener: L) => () => void {
  return (listener) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
}
