import { z } from 'zod'
import { boundedArray } from '../shared/bounded.ts'
import { address, blockTag, hash, hexData, oneOrMany, quantity, topics } from '../shared/primitives.ts'

/** Inputs of the chain's methods: block references, storage slots, calls to simulate, and log filters. */

/** Bytes from a caller: at most 256 KiB, twice the size limit of a transaction. */
export const inputData = hexData.max(524_290)

/** A block by number, tag or hash. JSON-RPC also accepts the object of EIP-1898, whose number or hash becomes this value. */
export const blockReference = z
  .string()
  .regex(
    /^(earliest|latest|pending|safe|finalized|0x(0|[1-9a-fA-F][0-9a-fA-F]{0,15})|0x[0-9a-fA-F]{64})$/,
    'a hex block number, a block hash, or one of earliest, latest, pending, safe, finalized',
  )

/** The position of a storage slot: up to 32 bytes, with or without leading zeros. */
export const storageSlot = z.string().regex(/^0x[0-9a-fA-F]{0,64}$/, 'a storage slot: 0x and at most 64 hex digits')

const slots = boundedArray(storageSlot, 1_000)

const accessListEntry = z
  .strictObject({ address, storageKeys: slots })
  .meta({ id: 'AccessListEntry', description: 'An address and its storage slots that a transaction declares' })

const authorizationEntry = z
  .strictObject({ chainId: quantity, address, nonce: quantity, yParity: quantity, r: quantity, s: quantity })
  .meta({ id: 'AuthorizationEntry', description: 'A signed delegation of an account to a contract (EIP-7702)' })

/** A call with contradictory fields is refused, as nodes refuse it. */
export const callMessage = z
  .strictObject({
    from: address.meta({ field: 'from_address' }).optional(),
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
    accessList: boundedArray(accessListEntry, 1_000).optional(),
    blobVersionedHashes: boundedArray(hash, 16).optional(),
    authorizationList: boundedArray(authorizationEntry, 100).optional(),
  })
  .refine(({ data, input }) => data === undefined || input === undefined || same(data, input), {
    path: ['data'],
    message: 'differs from input; send one of them',
  })
  .refine(({ gasPrice, maxFeePerGas: fee, maxPriorityFeePerGas: tip }) => gasPrice === undefined || !(fee ?? tip), {
    path: ['gasPrice'],
    message: 'cannot be combined with maxFeePerGas or maxPriorityFeePerGas',
  })
  .refine(({ maxFeePerGas: fee, maxPriorityFeePerGas: tip }) => !fee || !tip || BigInt(tip) <= BigInt(fee), {
    path: ['maxPriorityFeePerGas'],
    message: 'must be at most maxFeePerGas',
    // An invalid number cannot be compared. Its own issue refuses it.
    when: ({ issues }) => issues.length === 0,
  })
  .meta({ id: 'CallMessage', description: 'A transaction to simulate: nothing is signed or sent' })

function same(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase()
}

export const logFilter = z
  .strictObject({
    fromBlock: blockTag.describe('First block; the latest by default').optional(),
    toBlock: blockTag.describe('Last block, inclusive; the latest by default').optional(),
    blockHash: hash.describe('Only this block; cannot be combined with fromBlock or toBlock').optional(),
    address: oneOrMany(address, 1_000).describe('Contracts that wrote the logs; any by default').optional(),
    topics: topics.describe('By position; the first is the hash of the event signature').optional(),
  })
  .meta({ id: 'LogFilter', description: 'Selects logs: every given field must match' })
