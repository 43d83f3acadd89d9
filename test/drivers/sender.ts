import { setTimeout as sleep } from 'node:timers/promises'
import { type Hex, keccak256, type PrivateKeyAccount } from 'viem'
import { rpc } from '../clients/rpc-call.ts'

/** The JSON-RPC code of an engine that is temporarily unavailable. */
export const unavailable = -32002
const mostTries = 200

/** The result of a JSON-RPC call that is repeated until there is one; null where it was cancelled. */
// biome-ignore lint/suspicious/noExplicitAny: results of every method pass through here
type Request = (method: string, ...params: unknown[]) => Promise<any>

type Sender = {
  /** Hashes of the acknowledged transactions. */
  acknowledged: Hex[]
  /**
   * Signs and sends a transaction, and repeats it until it is acknowledged; a repetition succeeds like the first
   * request. Null where it was cancelled. Throws where a different hash is acknowledged.
   */
  send(call: { to: Hex; value: bigint; data?: Hex }): Promise<Hex | null>
}

/** Sends the transactions of one account on a chain, one after another. */
export function createSender(request: Request, account: PrivateKeyAccount, chainId: number): Sender {
  const acknowledged: Hex[] = []
  let nonce: number | null = null
  return {
    acknowledged,
    async send(call) {
      if (nonce === null) {
        const count = await request('eth_getTransactionCount', account.address, 'pending')
        if (count === null) return null
        nonce = Number(count)
      }
      const fees = { gas: 300_000n, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n }
      const raw = await account.signTransaction({ type: 'eip1559', chainId, nonce, ...fees, ...call })
      const hash: Hex | null = await request('eth_sendRawTransaction', raw)
      if (hash === null) return null
      if (hash !== keccak256(raw)) throw new Error(`a transaction was acknowledged as ${hash}`)
      nonce += 1
      acknowledged.push(hash)
      return hash
    },
  }
}

/**
 * Repeats a call while there is no response or the engine is unavailable. Throws where it is refused otherwise, or
 * after 200 tries.
 */
export function steadyRequest(url: string): Request {
  return async (method, ...params) => {
    for (let tries = 0; tries < mostTries; tries += 1) {
      const reply = await rpc(url, method, ...params).catch(() => null)
      if (reply?.result !== undefined) return reply.result
      if (reply?.error !== undefined && reply.error.code !== unavailable)
        throw new Error(`${method}: ${reply.error.code} ${reply.error.message}`)
      await sleep(100)
    }
    throw new Error(`${method} was not answered`)
  }
}
