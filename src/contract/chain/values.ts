import { z } from 'zod'
import { address, hash, hashesOrFull, hexData, quantity, rows } from '../shared/primitives.ts'
import { storageSlot } from './inputs.ts'

/** The objects of the chain as nodes return them: blocks, transactions, receipts, logs, fees, proofs and simulations. */

export const log = z
  .object({
    address: address.describe('The contract that wrote it'),
    topics: z.array(hash),
    data: hexData,
    blockHash: hash.describe('Null while pending').nullable(),
    blockNumber: quantity.describe('Null while pending').nullable(),
    blockTimestamp: quantity.describe('Seconds since 1970').optional(),
    transactionHash: hash.describe('Null while pending').nullable(),
    transactionIndex: quantity.describe('Null while pending').nullable(),
    logIndex: quantity.describe('Index in the block; null while pending').nullable(),
    removed: z.boolean().describe('True where a reorganisation removed the log').optional(),
  })
  .meta({ id: 'Log', description: 'An event that a contract wrote' })

export const accessListItem = z
  .object({ address, storageKeys: z.array(hash) })
  .meta({ id: 'AccessListItem', description: 'An address and its storage slots that a transaction declared' })

const authorization = z
  .object({ chainId: quantity, address, nonce: quantity, yParity: quantity, r: quantity, s: quantity })
  .meta({ id: 'Authorization', description: 'A signed delegation of an account to a contract (EIP-7702)' })

export const transaction = z
  .object({
    hash,
    blockHash: hash.describe('Null while pending').nullable(),
    blockNumber: quantity.describe('Null while pending').nullable(),
    transactionIndex: quantity.describe('Null while pending').nullable(),
    blockTimestamp: quantity.describe('Seconds since 1970').optional(),
    from: address.meta({ field: 'from_address' }),
    to: address.describe('Null for the creation of a contract').nullable(),
    nonce: quantity,
    value: quantity.describe('Wei'),
    gas: quantity.describe('Gas limit'),
    input: hexData,
    type: quantity.describe('0x0 legacy, 0x1 access list, 0x2 EIP-1559, 0x3 blob, 0x4 delegation, 0x7e deposit'),
    gasPrice: quantity.describe('Wei per gas; what was paid once included').optional(),
    maxFeePerGas: quantity.optional(),
    maxPriorityFeePerGas: quantity.optional(),
    maxFeePerBlobGas: quantity.optional(),
    blobVersionedHashes: z.array(hash).optional(),
    accessList: z.array(accessListItem).optional(),
    authorizationList: z.array(authorization).optional(),
    chainId: quantity.optional(),
    v: quantity.describe('Some nodes leave the signature of a deposit out').optional(),
    r: quantity.optional(),
    s: quantity.optional(),
    yParity: quantity.optional(),
    sourceHash: hash.describe('Deposits: identifies the origin on the parent chain').optional(),
    mint: quantity.describe('Deposits: wei minted on this chain').optional(),
    isSystemTx: z.boolean().describe('Deposits exempt from the gas limit of the block; absent where false').optional(),
    depositReceiptVersion: quantity.describe('Deposits: version of the receipt').optional(),
  })
  .meta({ id: 'Transaction', description: 'A transaction, pending or included' })

export const receipt = z
  .object({
    transactionHash: hash,
    transactionIndex: quantity,
    blockHash: hash,
    blockNumber: quantity,
    blockTimestamp: quantity.describe('Seconds since 1970').optional(),
    from: address.meta({ field: 'from_address' }),
    to: address.describe('Null for the creation of a contract').nullable(),
    contractAddress: address.describe('The contract it created, else null').nullable(),
    status: quantity.describe('0x1 success, 0x0 failure; absent before Byzantium').optional(),
    root: hash.describe('State root; only before Byzantium, instead of status').optional(),
    type: quantity.describe('Transaction type'),
    gasUsed: quantity,
    cumulativeGasUsed: quantity.describe('Gas of the block up to and including this transaction'),
    effectiveGasPrice: quantity.describe('Wei per gas that was paid'),
    logs: z.array(log),
    logsBloom: hexData,
    blobGasUsed: quantity.optional(),
    blobGasPrice: quantity.optional(),
    l1Fee: quantity.describe('Wei paid for publishing on the parent chain').optional(),
    l1GasPrice: quantity.optional(),
    l1GasUsed: quantity.optional(),
    l1FeeScalar: z.string().describe('Decimal; before Ecotone').optional(),
    l1BaseFeeScalar: quantity.optional(),
    l1BlobBaseFee: quantity.optional(),
    l1BlobBaseFeeScalar: quantity.optional(),
    operatorFeeScalar: quantity.optional(),
    operatorFeeConstant: quantity.optional(),
    daFootprintGasScalar: quantity.optional(),
    depositNonce: quantity.describe('Deposits: nonce of the sender').optional(),
    depositReceiptVersion: quantity.describe('Deposits: version of the receipt').optional(),
  })
  .meta({ id: 'Receipt', description: 'The outcome of an included transaction' })

const withdrawal = z
  .object({ index: quantity, validatorIndex: quantity, address, amount: quantity.describe('Gwei') })
  .meta({ id: 'Withdrawal', description: 'A withdrawal of a validator; rollup blocks have none' })

const header = {
  parentHash: hash,
  sha3Uncles: hash,
  stateRoot: hash,
  transactionsRoot: hash,
  receiptsRoot: hash,
  difficulty: quantity,
  gasLimit: quantity,
  gasUsed: quantity,
  timestamp: quantity.describe('Seconds since 1970'),
  extraData: hexData,
  mixHash: hash,
  baseFeePerGas: quantity.describe('Wei per gas; since London').optional(),
  withdrawalsRoot: hash.optional(),
  blobGasUsed: quantity.optional(),
  excessBlobGas: quantity.optional(),
  parentBeaconBlockRoot: hash.optional(),
  requestsHash: hash.optional(),
  totalDifficulty: quantity.describe('Nodes may leave it out since the merge').optional(),
}

/** Eight bytes with leading zeros, which a quantity must not have. */
const sealNonce = hexData

export const blockHeader = z
  .object({
    number: quantity,
    hash,
    miner: address,
    nonce: sealNonce,
    logsBloom: hexData,
    ...header,
    size: quantity.describe('Bytes; some nodes leave it out').optional(),
  })
  .meta({ id: 'BlockHeader', description: 'A block without its transactions' })

/** The fields of a header that a pending block may not have yet. */
const sealFields = {
  number: quantity.describe('Null while pending').nullable(),
  hash: hash.describe('Null while pending').nullable(),
  miner: address.describe('Recipient of the fees; null while pending').nullable(),
  nonce: sealNonce.describe('Null while pending').nullable(),
  logsBloom: hexData.describe('Null while pending').nullable(),
}

const { totalDifficulty: _beyondHeader, ...headerFields } = header

/** What the hash of a block covers, without its size: as go-ethereum returns it. */
export const plainHeader = z
  .object({ ...sealFields, ...headerFields })
  .meta({ id: 'Header', description: 'The header of a block, mined or pending' })

const blockFields = {
  ...sealFields,
  ...header,
  size: quantity.describe('Bytes'),
  transactions: hashesOrFull(hash, transaction).describe('Hashes, or whole transactions where they were requested'),
  uncles: z.array(hash),
  withdrawals: z.array(withdrawal).optional(),
}

export const block = z.object(blockFields).meta({ id: 'Block', description: 'A block, mined or pending' })

export const feeHistory = z
  .object({
    oldestBlock: quantity.describe('First block of the range'),
    baseFeePerGas: z.array(quantity).describe('Wei per gas of each block and of the block after them'),
    gasUsedRatio: z.array(z.number()).describe('Gas used of the gas limit, 0 to 1'),
    reward: rows(quantity).describe('One row for each block: the tip at each requested percentile').optional(),
    baseFeePerBlobGas: z.array(quantity).optional(),
    blobGasUsedRatio: z.array(z.number()).optional(),
  })
  .meta({ id: 'FeeHistory', description: 'Fees of a range of blocks' })

const storageProof = z
  .object({ key: storageSlot, value: quantity, proof: z.array(hexData).describe('Nodes from the root to the slot') })
  .meta({ id: 'StorageProof', description: 'A storage slot and its Merkle proof' })

export const accountProof = z
  .object({
    address,
    balance: quantity.describe('Wei'),
    nonce: quantity,
    codeHash: hash,
    storageHash: hash.describe('Root of the storage'),
    accountProof: z.array(hexData).describe('Nodes from the state root to the account'),
    storageProof: z.array(storageProof),
  })
  .meta({ id: 'AccountProof', description: 'An account and its Merkle proof' })

const callError = z
  .object({ code: z.int32(), message: z.string(), data: hexData.optional() })
  .meta({ id: 'CallError', description: 'Why a simulated call failed' })

const callOutcome = z
  .object({
    status: quantity.describe('0x1 success, 0x0 failure'),
    returnData: hexData,
    gasUsed: quantity,
    maxUsedGas: quantity.describe('Gas before refunds').optional(),
    logs: z.array(log).optional(),
    error: callError.optional(),
  })
  .meta({ id: 'CallOutcome', description: 'The outcome of a simulated call' })

export const simulatedBlock = z
  .object({ ...blockFields, calls: z.array(callOutcome) })
  .meta({ id: 'SimulatedBlock', description: 'A simulated block with the outcome of each call' })
