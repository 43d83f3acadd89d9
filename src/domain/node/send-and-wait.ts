import type { contract } from '../../contract/index.ts'
import { bounds } from '../../contract/shared/limits.ts'
import type { OutputOf } from '../../contract/shared/operation.ts'
import type { Handler } from '../core/handler.ts'
import type { Hex } from '../ports/chains.ts'

type Method = typeof contract.chain.sendRawTransactionSync

/** Sends a transaction and waits a while for the block it is in. Whoever leaves earlier has sent it all the same. */
export const sendRawTransactionSync: Handler<Method, 'node'> = async ({ node }, { transaction, timeout }, call) => {
  const { usual, most } = bounds.inclusionMs
  const waitMs = Math.min(timeout ?? usual, most)
  const hash = (await node.request('eth_sendRawTransaction', [transaction], call.signal)) as Hex
  const accepted = (what: string, cause?: unknown) =>
    call.fail(
      'NOT_INCLUDED_YET',
      `Accepted as ${hash}, ${what}; ask for its receipt.`,
      { metadata: { data: hash } },
      cause,
    )
  const receipt = await node.inclusion(hash, waitMs, call.signal).catch((failure: unknown) => {
    // What was sent stays sent, so whoever waits still learns its hash.
    throw call.signal.aborted ? failure : accepted('but whether it is in a block cannot be seen now', failure)
  })
  if (receipt !== null) return receipt as OutputOf<Method> // the gateway holds it against the contract
  throw accepted(`and in no block after ${waitMs} ms`)
}
