import type { NodeObject } from '../../../domain/ports/node.ts'

const depositType = '0x7e'

/** Makes the function that mends a receipt. What a rollup's transaction paid to the parent chain is told: nothing. */
export function mendedReceipt(rollup: boolean): (receipt: NodeObject) => NodeObject {
  return ({ blobGasPrice, blockTimestamp, depositNonce, ...rest }) => {
    const type = String(rest.type).toLowerCase()
    return {
      ...rest,
      type,
      ...(type === '0x3' && { blobGasPrice }),
      ...(blockTimestamp !== undefined && { blockTimestamp: quantityOf(blockTimestamp) }),
      // The engine tells the nonce after the deposit.
      ...(depositNonce !== undefined && { depositNonce: quantityOf(BigInt(String(depositNonce)) - 1n) }),
      ...(rollup && type !== depositType && noParentFee),
    }
  }
}

/** The embedded rollup's scalars are zero: the parent chain's part of every fee is. */
const noParentFee = {
  l1Fee: '0x0',
  l1GasPrice: '0x0',
  l1BlobBaseFee: '0x0',
  l1BaseFeeScalar: '0x0',
  l1BlobBaseFeeScalar: '0x0',
}

/** Deposits have a type of their own, and fields that the engine leaves out. */
export function mendedTransaction(transaction: NodeObject): NodeObject {
  const type = String(transaction.type).toLowerCase()
  if (type !== depositType) return transaction
  const { depositNonce: _, ...rest } = transaction
  return { gasPrice: '0x0', isSystemTx: false, ...rest, type }
}

/** A block with its transactions; what is not sealed has no hash, nonce or author yet. */
export function mendedBlock(block: NodeObject, [tag]: readonly unknown[]): NodeObject {
  const transactions = block.transactions as (string | NodeObject)[]
  return {
    ...block,
    ...(tag === 'pending' && { hash: null, nonce: null, miner: null }),
    transactions: transactions.map((one) => (typeof one === 'string' ? one : mendedTransaction(one))),
  }
}

/** Blocks that were only tried out, which the engine does not weigh. */
export function mendedSimulation(blocks: NodeObject[]): NodeObject[] {
  return blocks.map((block) => ({ size: '0x0', ...block }))
}

function quantityOf(value: unknown): string {
  return typeof value === 'number' || typeof value === 'bigint' ? `0x${value.toString(16)}` : String(value)
}
