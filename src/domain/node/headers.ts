import type { contract } from '../../contract/index.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'
import type { Handler } from '../core/handler.ts'
import type { NodeObject } from '../ports/node.ts'

type Header = OutputOf<typeof contract.chain.getHeaderByNumber>

/** Headers are read with their blocks, because every node has these, and the newest one is known without a call. */
export const getHeaderByNumber: Handler<typeof contract.chain.getHeaderByNumber, 'node'> = async (
  { node },
  { block },
  { signal, keyOrAddress, spent },
) => headerOf(await node.request('eth_getBlockByNumber', [block, false], signal, { name: keyOrAddress, spent }))

export const getHeaderByHash: Handler<typeof contract.chain.getHeaderByHash, 'node'> = async (
  { node },
  { hash },
  { signal, keyOrAddress, spent },
) => headerOf(await node.request('eth_getBlockByHash', [hash, false], signal, { name: keyOrAddress, spent }))

/** A block without what its hash does not cover, as go-ethereum returns headers; null where there is no block. */
function headerOf(block: unknown): Header {
  if (block === null) return null
  const { transactions: _, uncles: _uncles, withdrawals: _withdrawals, ...more } = block as NodeObject
  const { size: _size, totalDifficulty: _difficulty, ...header } = more
  return header as Header // the gateway checks it against the contract
}
