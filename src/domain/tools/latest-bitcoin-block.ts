import type { contract } from '../../contract/index.ts'
import { isAbortOf } from '../core/errors.ts'
import type { Handler } from '../core/handler.ts'
import type { BitcoinFee } from '../ports/bitcoin.ts'

/** The newest block that the provider knows, and what it costs to be in the next ones; fees it does not tell are left out. */
export const latestBitcoinBlock: Handler<typeof contract.tools.latestBitcoinBlock, 'providers'> = async (
  { providers: { bitcoin } },
  _input,
  { signal },
) => {
  const noFees = (failure: unknown): { value: readonly BitcoinFee[] } => {
    if (isAbortOf(signal, failure)) throw failure
    return { value: [] }
  }
  const [{ value: block, source, ageMs }, fees] = await Promise.all([
    bitcoin.latestBlock(signal),
    bitcoin.fees(signal).catch(noFees),
  ])
  const { hash, transactions, medianTime, merkleRoot, previousHash, ...same } = block
  return {
    ...same,
    ...{ id: hash, tx_count: transactions, mediantime: medianTime, merkle_root: merkleRoot },
    previousblockhash: previousHash,
    fee_estimates: fees.value.map(({ blocks, satPerVbyte }) => ({ blocks, sat_per_vbyte: satPerVbyte })),
    age_ms: ageMs,
    source,
  }
}
