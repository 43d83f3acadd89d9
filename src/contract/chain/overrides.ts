import { z } from 'zod'
import { boundedArray, boundedRecord } from '../shared/bounded.ts'
import { bounds } from '../shared/limits.ts'
import { address, hash, quantity, quantity64 } from '../shared/primitives.ts'
import { inputData } from './inputs.ts'

/** Overrides of accounts and of the block for a call, with the names of execution-apis and geth. */

const mostEntries = bounds.entries

const slots = boundedRecord(hash, hash, mostEntries)

const accountOverride = z
  .strictObject({
    balance: quantity.optional(),
    nonce: quantity64.optional(),
    code: inputData.optional(),
    state: slots.optional(),
    stateDiff: slots.optional(),
    movePrecompileToAddress: address.optional(),
  })
  .refine(({ state, stateDiff }) => state === undefined || stateDiff === undefined, {
    path: ['stateDiff'],
    message: 'cannot be combined with state, which replaces every slot',
  })
  .meta({ id: 'AccountOverride', description: 'Values that replace those of an account' })

export const stateOverrides = boundedRecord(address, accountOverride, mostEntries)
  .meta({
    proto: 'struct',
    description:
      'By address: balance, nonce, code and slots that replace those of an account: all slots as state, or some as stateDiff. Nodes may not support movePrecompileToAddress',
  })
  .optional()

/** 32 bytes; some callers send a number instead. */
const randao = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/, 'at most 32 bytes as hex')
  .overwrite((value) => `0x${value.slice(2).padStart(64, '0')}`)

const withdrawal = z.strictObject({ index: quantity64, validatorIndex: quantity64, address, amount: quantity64 })

export const blockOverrides = z
  .strictObject({
    number: quantity64.optional(),
    time: quantity64.optional(),
    gasLimit: quantity64.optional(),
    feeRecipient: address.optional(),
    prevRandao: randao.optional(),
    baseFeePerGas: quantity.optional(),
    blobBaseFee: quantity64.optional(),
    difficulty: quantity.optional(),
    beaconRoot: hash.optional(),
    withdrawals: boundedArray(withdrawal, 16).optional(),
  })
  .meta({
    id: 'BlockOverrides',
    proto: 'struct',
    description:
      'Values that replace those of the block. Over JSON-RPC coinbase, random and baseFee mean feeRecipient, prevRandao and baseFeePerGas. Nodes may not support blobBaseFee, beaconRoot and withdrawals, and difficulty has no effect since the merge',
  })
  .optional()
