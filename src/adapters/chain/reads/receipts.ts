import { formatTransactionReceipt, type RpcTransactionReceipt } from 'viem'
import type { Hex, Receipt } from '../../../domain/ports/chains.ts'
import { totalFee } from '../../../opstack/total-fee.ts'
import type { Connection } from './connection.ts'

/** The receipt of a transaction; null where it is not mined. */
export async function readReceipt({ call, saw }: Connection, hash: Hex): Promise<Receipt | null> {
  const found = await call('eth_getTransactionReceipt', [hash])
  if (found === null) return null
  const receipt = formatTransactionReceipt(found as RpcTransactionReceipt)
  saw(receipt.blockNumber)
  return {
    hash,
    status: receipt.status,
    blockNumber: receipt.blockNumber,
    blockHash: receipt.blockHash,
    gasUsed: receipt.gasUsed,
    feeWei: totalFee(receipt, found),
    logs: receipt.logs.map(({ address, topics, data }) => ({ address, topics, data })),
  }
}
