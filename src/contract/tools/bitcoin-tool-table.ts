import { z } from 'zod'
import type { ToolTable } from './tool-table.ts'

const hash = z.string().regex(/^[0-9a-fA-F]{64}$/, '64 hex digits')
const txid = hash.describe('Id of the transaction')
const block = z
  .union([hash, z.int().min(0).max(100_000_000)], { error: 'must be a hash of 64 hex digits, or a height as a number' })
  .describe('Hash of the block, or its height')
const address = z
  .string()
  .regex(/^[A-Za-z0-9]{14,100}$/, 'an address such as bc1q…')
  .describe('Bitcoin address on the network of the provider')
const limit = z.int().min(1).max(100).default(25).describe('Most rows')

/** The tools of the Bitcoin provider. Their results have the field names of Esplora; amounts are satoshi. */
export const bitcoinTools = {
  tip_get: { description: 'Height and hash of the newest block', arguments: z.strictObject({}) },
  block_get: { description: 'A block', arguments: z.strictObject({ block }) },
  block_header: { description: 'Header of a block, 80 bytes in hex', arguments: z.strictObject({ block }) },
  block_transactions: {
    description: 'Ids of the transactions of a block, in their order',
    arguments: z.strictObject({ block, limit }),
  },
  blocks_list: {
    description: 'Blocks downwards from a height, at most 10',
    arguments: z.strictObject({
      from_height: z.int().min(0).max(100_000_000).optional().describe('First block; the newest one if absent'),
    }),
  },
  transaction_get: { description: 'A transaction with its inputs and outputs', arguments: z.strictObject({ txid }) },
  transaction_status: { description: 'Whether a transaction is in a block', arguments: z.strictObject({ txid }) },
  transaction_hex: { description: 'Bytes of a transaction in hex', arguments: z.strictObject({ txid }) },
  outspends_list: {
    description: 'Which transactions spent the outputs of a transaction',
    arguments: z.strictObject({ txid, limit }),
  },
  address_get: { description: 'Amounts that an address received and spent', arguments: z.strictObject({ address }) },
  address_utxos: {
    description: 'Unspent outputs of an address',
    arguments: z.strictObject({ address, limit }),
  },
  address_transactions: {
    description: 'Transactions of an address, newest first, 25 for each call',
    arguments: z.strictObject({
      address,
      after_txid: hash.optional().describe('Continue after this confirmed transaction; the newest ones if absent'),
    }),
  },
  fees_get: { description: 'Fee rates by the number of blocks to wait', arguments: z.strictObject({}) },
  mempool_get: { description: 'The transactions that wait to be mined', arguments: z.strictObject({}) },
} as const satisfies ToolTable
