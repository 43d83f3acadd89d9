import { setTimeout as sleep } from 'node:timers/promises'
import { type Hex, keccak256, type PrivateKeyAccount } from 'viem'
import { rpc } from '../../test/clients/rpc-call.ts'

export type Sender = {
  /** Hashes of what was acknowledged. */
  acknowledged: Hex[]
  /** Signs and sends; said again, through whatever faults, until it is acknowledged. Refused otherwise, it throws. */
  send(call: { to: Hex; value: bigint; data?: Hex }): Promise<Hex>
}

const unavailable = -32002

/** One account's transactions on a chain, one after another. */
export function createSender(url: string, account: PrivateKeyAccount, chainId: number): Sender {
  const acknowledged: Hex[] = []
  let nonce: number | null = null

  async function answer(method: string, ...params: unknown[]): Promise<string> {
    for (let tries = 0; tries < 200; tries += 1) {
      const reply = await rpc(url, method, ...params).catch(() => null)
      if (reply?.result !== undefined) return reply.result
      if (reply?.error !== undefined && reply.error.code !== unavailable)
        throw new Error(`${method}: ${reply.error.code} ${reply.error.message}`)
      await sleep(100)
    }
    throw new Error(`${method} was not answered`)
  }

  return {
    acknowledged,
    async send(call) {
      nonce ??= Number(await answer('eth_getTransactionCount', account.address, 'pending'))
      const fees = { gas: 300_000n, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n }
      const raw = await account.signTransaction({ type: 'eip1559', chainId, nonce, ...fees, ...call })
      const hash = (await answer('eth_sendRawTransaction', raw)) as Hex
      if (hash !== keccak256(raw)) throw new Error(`a transaction was acknowledged as ${hash}`)
      nonce += 1
      acknowledged.push(hash)
      return hash
    },
  }
}
