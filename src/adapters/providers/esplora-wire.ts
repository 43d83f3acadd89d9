import { z } from 'zod'

const count = z.int().min(0)
/** Scripts and witnesses of one transaction can be as long as a block. */
const bytes = z.string().max(8_000_000)
const text = z.string().max(200)

export const hex = z
  .string()
  .trim()
  .regex(/^([0-9a-f]{2})+$/)
export const hash = z
  .string()
  .trim()
  .regex(/^[0-9a-f]{64}$/)
export const hashes = z.array(hash).max(100_000)

export const block = z.object({
  id: hash,
  height: count,
  version: z.int(),
  timestamp: count,
  mediantime: count,
  tx_count: count,
  size: count,
  weight: count,
  merkle_root: hash,
  previousblockhash: hash.nullish(),
  nonce: count,
  bits: count,
  difficulty: z.number(),
})
export const blocks = z.array(block).max(100)

export const status = z.object({
  confirmed: z.boolean(),
  block_height: count.optional(),
  block_hash: hash.optional(),
  block_time: count.optional(),
})

const output = z.object({
  scriptpubkey: bytes,
  scriptpubkey_asm: bytes,
  scriptpubkey_type: text,
  scriptpubkey_address: text.optional(),
  value: count,
})

export const transaction = z.object({
  txid: hash,
  version: z.int(),
  locktime: count,
  size: count,
  weight: count,
  fee: count,
  vin: z
    .array(
      z.object({
        txid: hash,
        vout: count,
        prevout: output.nullish(),
        scriptsig: bytes,
        scriptsig_asm: bytes,
        witness: z.array(bytes).max(20_000).default([]),
        is_coinbase: z.boolean(),
        sequence: count,
      }),
    )
    .max(20_000),
  vout: z.array(output).max(20_000),
  status,
})
export const transactions = z.array(transaction).max(100)

export const outspends = z
  .array(z.object({ spent: z.boolean(), txid: hash.optional(), vin: count.optional(), status: status.optional() }))
  .max(20_000)

const sums = z.object({
  funded_txo_count: count,
  funded_txo_sum: count,
  spent_txo_count: count,
  spent_txo_sum: count,
  tx_count: count,
})
export const address = z.object({ address: text, chain_stats: sums, mempool_stats: sums })
export const utxos = z.array(z.object({ txid: hash, vout: count, value: count, status })).max(50_000)
export const mempool = z.object({ count, vsize: count, total_fee: z.number().min(0) })
