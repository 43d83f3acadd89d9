import type { NodeObject } from '../../../domain/ports/node.ts'
import { depositType } from '../../../opstack/deposits.ts'
import { wireQuantity } from '../wire-objects.ts'

/**
 * A receipt of anvil as other nodes return it. `parentFee` is what the transaction paid to the parent chain, which
 * deposits do not.
 */
export function receiptOf(receipt: NodeObject, parentFee: NodeObject = {}): NodeObject {
  const { blobGasPrice, blockTimestamp, depositNonce, ...rest } = receipt
  const type = String(rest.type).toLowerCase()
  return {
    ...rest,
    type,
    ...(type === '0x3' && { blobGasPrice }),
    ...(blockTimestamp !== undefined && { blockTimestamp: wireQuantity(blockTimestamp) }),
    // Anvil returns the nonce after the deposit.
    ...(depositNonce !== undefined && { depositNonce: wireQuantity(BigInt(String(depositNonce)) - 1n) }),
    ...(type !== depositType && parentFee),
  }
}

/** The embedded rollup's scalars are zero, and so is the parent chain's part of every fee, whatever the prices there. */
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

/**
 * A deposit as other nodes return it: zeros for the signature that it does not have, and the nonce once it is mined.
 * `isSystemTx` is left out where it is false, as op-geth does: op-alloy cannot read it.
 */
export function depositOf(transaction: NodeObject, receipt: NodeObject | undefined): NodeObject {
  const { depositNonce: nonce, depositReceiptVersion } = receipt ?? {}
  const { isSystemTx, ...others } = transaction
  return {
    gasPrice: '0x0',
    ...others,
    ...(isSystemTx === true && { isSystemTx }),
    type: depositType,
    v: '0x0',
    r: '0x0',
    s: '0x0',
    ...(nonce !== undefined && { nonce }),
    ...(depositReceiptVersion !== undefined && { depositReceiptVersion }),
  }
}

type Transactions = { transactions: (string | NodeObject)[] }

/** The pending block has no hash, nonce or author yet, and its transactions are in no block. */
export function pendingBlockOf(block: NodeObject): NodeObject {
  const transactions = (block as Transactions).transactions.map((transaction) => {
    if (typeof transaction === 'string') return transaction
    const { blockTimestamp: _, ...rest } = transaction
    return { ...rest, blockHash: null, blockNumber: null, transactionIndex: null }
  })
  return { ...block, hash: null, nonce: null, miner: null, transactions }
}
