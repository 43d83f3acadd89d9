import { grpcMethods } from '../../generated/grpc/services.ts'
import { marker, type Sent } from './requests.ts'

/** A call by all the ways that it can be asked. */
export type Call = { name: string; jsonRpc: Sent; trpc: Sent | null; grpc: Sent | null }

/** What a run asks for: the newest block and one that is final, a balance that nobody asked for before, logs likewise. */
export function callsOf(facts: { oldBlock: string; token: string; fromBlock: string; toBlock: string }): Call[] {
  const address = `0x${marker.padStart(40, '0')}`
  const { oldBlock, token, fromBlock, toBlock } = facts
  const balanceOf = { to: token, data: `0x70a08231${address.slice(2).padStart(64, '0')}` }
  const filter = { fromBlock, toBlock, address: [token, address] }
  return [
    call('eth_blockNumber', 'chain.blockNumber', [], {}),
    call('eth_chainId', 'chain.chainId', [], {}),
    call('eth_getBlockByNumber latest', 'chain.getBlockByNumber', ['latest', false], { block: 'latest' }),
    call('eth_getBlockByNumber old, full', 'chain.getBlockByNumber', [oldBlock, true], {
      block: oldBlock,
      fullTransactions: true,
    }),
    call('eth_call balanceOf', 'chain.call', [balanceOf, 'latest'], { transaction: balanceOf }),
    call('eth_getLogs', 'chain.getLogs', [filter], { filter }),
    batchOf('eth_call balanceOf', 10, message('eth_call', [balanceOf, 'latest'])),
  ]
}

type Id = 'chain.blockNumber' | 'chain.chainId' | 'chain.getBlockByNumber' | 'chain.call' | 'chain.getLogs'

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

function batchOf(name: string, count: number, body: string): Call {
  const jsonRpc = { path: '/', body: `[${Array(count).fill(body).join(',')}]` }
  return { name: `batch of ${count} ${name}`, jsonRpc, trpc: null, grpc: null }
}

function message(method: string, params: unknown[]): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
}
