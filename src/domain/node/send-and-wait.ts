import type { contract } from '../../contract/index.ts'
import { bounds } from '../../contract/shared/limits.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'
import type { Handler } from '../core/handler.ts'
import type { Hex } from '../ports/chains.ts'

type Method = typeof contract.chain.sendRawTransactionSync

/** Sends a transaction and waits for its block. A caller that disconnects earlier has sent it nevertheless. */
export const sendRawTransactionSync: Handler<Method, 'node'> = async ({ node }, { transaction, timeout }, call) => {
  const { usual, most } = bounds.inclusionMs
  const waitMs = Math.min(timeout ?? usual, most)
  const hash = (await node.request('eth_sendRawTransaction', [transaction], call.signal)) as Hex
  const accepted = (what: string, cause?: unknown) =>
    call.fail(
      'NOT_INCLUDED_YET',
      `The transaction was accepted as ${hash}, ${what}. Request its receipt later.`,
      { metadata: { data: hash } },
      cause,
    )
  const receipt = await node.inclusion(hash, waitMs, call.signal).catch((failure: unknown) => {
    // The transaction stays sent, so a caller that still waits receives its hash.
    throw call.signal.aborted ? failure : accepted('but the node cannot say now whether it is in a block', failure)
  })
  if (receipt !== null) return receipt as OutputOf<Method> // the gateway checks it against the contract
  throw accepted(`but was in no block after ${waitMs} ms`)
}
