import type { NodeObject } from '../../domain/ports/node.ts'

const depositType = '0x7e'

/** A receipt as it should be, with what the transaction paid to the parent chain, unless it is a deposit. */
export function mendedReceipt(receipt: NodeObject, parentFee: NodeObject = {}): NodeObject {
  const { blobGasPrice, blockTimestamp, depositNonce, ...rest } = receipt
  const type = String(rest.type).toLowerCase()
  return {
    ...rest,
    type,
    ...(type === '0x3' && { blobGasPrice }),
    ...(blockTimestamp !== undefined && { blockTimestamp: quantityOf(blockTimestamp) }),
    // The engine tells the nonce after the deposit.
    ...(depositNonce !== undefined && { depositNonce: quantityOf(BigInt(String(depositNonce)) - 1n) }),
    ...(type !== depositType && parentFee),
  }
}

/** The embedded rollup's scalars are zero: the parent chain's part of every fee is, whatever the prices there. */
export const noParentFee = {
  l1Fee: '0x0',
  l1GasPrice: '0x0',
  l1BlobBaseFee: '0x0',
  l1BaseFeeScalar: '0x0',
  l1BlobBaseFeeScalar: '0x0',
}

export function isDeposit({ type }: NodeObject): boolean {
  return String(type).toLowerCase() === depositType
}

/** A deposit has no signature, which is said with zeros, and its nonce is known once it has run. */
export function mendedDeposit(transaction: NodeObject, receipt: NodeObject | undefined): NodeObject {
  const { depositNonce: nonce, depositReceiptVersion } = receipt ?? {}
  return {
    gasPrice: '0x0',
    isSystemTx: false,
    ...transaction,
    ...{ type: depositType, v: '0x0', r: '0x0', s: '0x0' },
    ...(nonce !== undefined && { nonce }),
    ...(depositReceiptVersion !== undefined && { depositReceiptVersion }),
  }
}

/** A transaction of the block that waits: in no block yet, as where it is asked for by its hash. */
export function waitingTransaction({ blockTimestamp: _, ...transaction }: NodeObject): NodeObject {
  return { ...transaction, blockHash: null, blockNumber: null, transactionIndex: null }
}

/** Blocks that were only tried out, which the engine does not weigh. */
export function mendedSimulation(blocks: NodeObject[]): NodeObject[] {
  return blocks.map((block) => ({ size: '0x0', ...block }))
}

/** A number as the chain writes it; what is written so already stays as it is. */
export function quantityOf(value: unknown): string {
  return typeof value === 'number' || typeof value === 'bigint' ? `0x${value.toString(16)}` : String(value)
}
