import { z } from 'zod'
import { address, blockTag, hash, hexData, oneOrMany, quantity, topics } from '../shared/primitives.ts'

/** What callers send to the chain's methods: how they name blocks and slots, calls to try out, and filters of logs. */

/** Bytes a caller sends: at most 256 KiB, twice what a transaction may weigh. */
export const inputData = hexData.max(524_290)

/** A block by number, tag or hash. Where JSON-RPC brings the object form of EIP-1898, its one field stands here. */
export const blockReference = z
  .string()
  .regex(
    /^(earliest|latest|pending|safe|finalized|0x(0|[1-9a-fA-F][0-9a-fA-F]{0,15})|0x[0-9a-fA-F]{64})$/,
    'a hex block number, a block hash, or one of earliest, latest, pending, safe, finalized',
  )

/** The place of a storage slot: up to 32 bytes, leading zeros free. */
export const storageSlot = z.string().regex(/^0x[0-9a-fA-F]{0,64}$/, 'a storage slot: 0x and at most 64 hex digits')

const slots = z.array(storageSlot).max(1_000)

const accessListEntry = z
  .strictObject({ address, storageKeys: slots })
  .meta({ id: 'AccessListEntry', description: 'An address and the slots of it that a transaction announces' })

const authorizationEntry = z
  .strictObject({ chainId: quantity, address, nonce: quantity, yParity: quantity, r: quantity, s: quantity })
  .meta({ id: 'AuthorizationEntry', description: 'A signed delegation of an account to a contract (EIP-7702)' })

/** As nodes do, a call that says two things at once is refused: which of them is meant, nobody knows. */
export const callMessage = z
  .strictObject({
    from: address.optional(),
    to: address.describe('Absent to create a contract').optional(),
    gas: quantity.optional(),
    gasPrice: quantity.describe('Wei per gas; not together with the EIP-1559 fees').optional(),
    maxFeePerGas: quantity.optional(),
    maxPriorityFeePerGas: quantity.describe('At most maxFeePerGas').optional(),
    maxFeePerBlobGas: quantity.optional(),
    value: quantity.describe('Wei').optional(),
    data: inputData.describe('The call; the older name of input').optional(),
    input: inputData.describe('The call; equal to data when both are given').optional(),
    nonce: quantity.optional(),
    type: quantity.describe('Transaction type').optional(),
    chainId: quantity.describe('Of this chain').optional(),
    accessList: z.array(accessListEntry).max(1_000).optional(),
    blobVersionedHashes: z.array(hash).max(16).optional(),
    authorizationList: z.array(authorizationEntry).max(100).optional(),
  })
  .refine(({ data, input }) => data === undefined || input === undefined || same(data, input), {
    path: ['data'],
    message: 'differs from input; send one of them',
  })
  .refine(({ gasPrice, maxFeePerGas: fee, maxPriorityFeePerGas: tip }) => gasPrice === undefined || !(fee ?? tip), {
    path: ['gasPrice'],
    message: 'cannot stand together with maxFeePerGas or maxPriorityFeePerGas',
  })
  .refine(({ maxFeePerGas: fee, maxPriorityFeePerGas: tip }) => !fee || !tip || BigInt(tip) <= BigInt(fee), {
    path: ['maxPriorityFeePerGas'],
    message: 'must be at most maxFeePerGas',
    // What is no number cannot be compared, and is refused already.
    when: ({ issues }) => issues.length === 0,
  })
  .meta({ id: 'CallMessage', description: 'A transaction to try out: nothing is signed or sent' })

function same(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase()
}

export const logFilter = z
  .strictObject({
    fromBlock: blockTag.describe('First block; the latest unless said').optional(),
    toBlock: blockTag.describe('Last block, included; the latest unless said').optional(),
    blockHash: hash.describe('This block alone; not together with fromBlock or toBlock').optional(),
    address: oneOrMany(address, 1_000).describe('Contracts that wrote the logs; any unless said').optional(),
    topics: topics.describe('By position; the first is the hash of the event signature').optional(),
  })
  .meta({ id: 'LogFilter', description: 'Which logs to answer: every given field must match' })
