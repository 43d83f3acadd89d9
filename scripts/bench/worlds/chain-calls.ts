import { grpcMethods } from '../../../generated/grpc/services.ts'
import { marker, type Sent } from '../load/sent.ts'

/** A different account in each request. */
const address = `0x${marker.padStart(40, '0')}`

/** A call in all the ways in which it can be made. */
export type Call = { name: string; jsonRpc: Sent; trpc: Sent | null; grpc: Sent | null }

/**
 * The calls of a run: the number of the newest block and a final block, always the same one, which the gateway caches;
 * and reads of another account each time, which cannot be cached.
 */
export function callsOf(facts: { oldBlock: string; token: string; fromBlock: string; toBlock: string }): Call[] {
  const { oldBlock, token, fromBlock, toBlock } = facts
  const balance = balanceCall(token)
  const filter = { fromBlock, toBlock, address: [token, address] }
  return [
    call('eth_blockNumber', 'chain.blockNumber', [], {}),
    call('eth_getBlockByNumber old, full, the same', 'chain.getBlockByNumber', [oldBlock, true], {
      block: oldBlock,
      fullTransactions: true,
    }),
    call('eth_getBalance', 'chain.getBalance', [address, 'latest'], { address, block: 'latest' }),
    balance,
    call('eth_getLogs', 'chain.getLogs', [filter], { filter }),
    batchOf(10, balance),
  ]
}

/** The token balance of an account that was never read before. */
export function balanceCall(token: string): Call {
  const transaction = { to: token, data: `0x70a08231${address.slice(2).padStart(64, '0')}` }
  return call('eth_call balanceOf', 'chain.call', [transaction, 'latest'], { transaction })
}

type Id = 'chain.blockNumber' | 'chain.getBlockByNumber' | 'chain.getBalance' | 'chain.call' | 'chain.getLogs'

function call(name: string, id: Id, params: unknown[], input: object): Call {
  const { path, encodeRequest } = grpcMethods[id]
  const [method = ''] = name.split(' ')
  return {
    name,
    jsonRpc: { path: '/', body: message(method, params) },
    trpc: { path: `/trpc/${id}`, body: JSON.stringify(input) },
    grpc: { path, body: Buffer.from(encodeRequest(input)).toString('latin1') },
  }
}

function batchOf(count: number, { name, jsonRpc: { body } }: Call): Call {
  const jsonRpc = { path: '/', body: `[${Array(count).fill(body).join(',')}]` }
  return { name: `batch of ${count} ${name}`, jsonRpc, trpc: null, grpc: null }
}

function message(method: string, params: unknown[]): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
}
