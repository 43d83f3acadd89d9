import { formatTransactionReceipt, type RpcTransactionReceipt } from 'viem'
import type { Hex, Receipt } from '../../../domain/ports/chains.ts'
import { totalFee } from '../../../opstack/total-fee.ts'
import type { Connection } from './connection.ts'

/** The receipt of a transaction; null where it is not mined. */
export async function readReceipt({ call, saw }: Connection, hash: Hex): Promise<Receipt | null> {
  const found = await call('eth_getTransactionReceipt', [hash], { suits: (receipt) => receipt !== null })
  if (found === null) return null
  const receipt = formatTransactionReceipt(found as RpcTransactionReceipt)
  saw(receipt.blockNumber)
  const paid = {
    gasUsed: receipt.gasUsed,
    effectiveGasPrice: receipt.effectiveGasPrice ?? (await gasPriceOf(call, hash)),
  }
  return {
    hash,
    status: receipt.status,
    blockNumber: receipt.blockNumber,
    blockHash: receipt.blockHash,
    gasUsed: receipt.gasUsed,
    feeWei: totalFee(paid, found),
    logs: receipt.logs.map(({ address, topics, data }) => ({ address, topics, data })),
  }
}

/** The gas price of a legacy transaction. Some nodes of chains without base fees do not repeat it in the receipt. */
async function gasPriceOf(call: Connection['call'], hash: Hex): Promise<bigint> {
  const transaction = await call('eth_getTransactionByHash', [hash], { suits: (found) => found !== null })
  return BigInt(String((transaction as { gasPrice?: Hex } | null)?.gasPrice ?? 0))
}
