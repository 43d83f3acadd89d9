import { z } from 'zod'
import type { BitcoinChain } from '../../domain/ports/bitcoin.ts'
import type { Sourced } from '../../domain/ports/providers.ts'
import type { HttpProvider, ProviderRequest } from './http.ts'

const fees = z
  .record(z.string().regex(/^\d{1,4}$/), z.number().min(0).max(1e9))
  .refine((all) => Object.keys(all).length <= 200)

/** Cache times: of the newest block, of immutable data, of data that can change, and of fees. */
const [tipMs, settledMs, movingMs, feesMs] = [1_000, 600_000, 2_000, 10_000]
const mostBytes = 8 * 1_048_576

/** Bitcoin by a provider in the format of Esplora; `source` names it in results. */
export function createBitcoinChain(provider: HttpProvider, source: string): BitcoinChain {
  async function read<T>(request: Omit<ProviderRequest<T>, 'mostBytes'>): Promise<Sourced<T>> {
    return { ...(await provider.request({ mostBytes, ...request })), source }
  }
  const text = { schema: hex, plain: true }
  const settled = { cacheMs: settledMs }
  const moving = { cacheMs: movingMs }
  return {
    async latestBlock(signal) {
      const tip = await provider.request({
        path: '/blocks/tip/hash',
        schema: hash,
        plain: true,
        cacheMs: tipMs,
        signal,
      })
      const request = { path: `/block/${tip.value}`, schema: block, cacheMs: settledMs, signal }
      const { value, latencyMs } = await provider.request(request)
      const { id, tx_count, mediantime, merkle_root, previousblockhash, ...same } = value
      const facts = { ...same, hash: id, transactions: tx_count, medianTime: mediantime, merkleRoot: merkle_root }
      const known = { ...facts, previousHash: previousblockhash ?? null }
      return { value: known, source, ageMs: tip.ageMs, latencyMs: tip.latencyMs + latencyMs }
    },
    async fees(signal) {
      const { value, ...rest } = await provider.request({
        path: '/fee-estimates',
        schema: fees,
        cacheMs: feesMs,
        signal,
      })
      const list = Object.entries(value).map(([blocks, satPerVbyte]) => ({ blocks: Number(blocks), satPerVbyte }))
      return { ...rest, source, value: list.sort((left, right) => left.blocks - right.blocks) }
    },
    async tip(signal) {
      const at = await read({ path: '/blocks/tip/hash', schema: hash, plain: true, cacheMs: tipMs, signal })
      const { value } = await read({ path: `/block/${at.value}`, schema: block, ...settled, signal })
      return { ...at, value: { height: value.height, id: at.value } }
    },
    blockHash: (height, signal) =>
      read({ path: `/block-height/${height}`, schema: hash, plain: true, ...moving, signal }),
    block: (id, signal) => read({ path: `/block/${id}`, schema: block, ...settled, signal }),
    header: (id, signal) => read({ path: `/block/${id}/header`, ...text, ...settled, signal }),
    blockTransactions: (id, signal) => read({ path: `/block/${id}/txids`, schema: hashes, ...settled, signal }),
    blocks: (from, signal) =>
      read({ path: from === null ? '/blocks' : `/blocks/${from}`, schema: blocks, ...moving, signal }),
    transaction: (id, signal) => read({ path: `/tx/${id}`, schema: transaction, ...moving, signal }),
    transactionStatus: (id, signal) => read({ path: `/tx/${id}/status`, schema: status, ...moving, signal }),
    transactionHex: (id, signal) => read({ path: `/tx/${id}/hex`, ...text, ...settled, signal }),
    outspends: (id, signal) => read({ path: `/tx/${id}/outspends`, schema: outspends, ...moving, signal }),
    address: (name, signal) => read({ path: `/address/${name}`, schema: address, ...moving, signal }),
    utxos: (name, signal) => read({ path: `/address/${name}/utxo`, schema: utxos, ...moving, signal }),
    addressTransactions(name, after, signal) {
      const path = `/address/${name}/txs${after === null ? '' : `/chain/${after}`}`
      return read({ path, schema: transactions, ...moving, signal })
    },
    mempool: (signal) => read({ path: '/mempool', schema: mempool, ...moving, signal }),
  }
}

const count = z.int().min(0)
/** Scripts and witnesses of one transaction can be as long as a block. */
const bytes = z.string().max(8_000_000)
const text = z.string().max(200)

const hex = z
  .string()
  .trim()
  .regex(/^([0-9a-f]{2})+$/)
const hash = z
  .string()
  .trim()
  .regex(/^[0-9a-f]{64}$/)
const hashes = z.array(hash).max(100_000)

const block = z.object({
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
const blocks = z.array(block).max(100)

const status = z.object({
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

const transaction = z.object({
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
const transactions = z.array(transaction).max(100)

const outspends = z
  .array(z.object({ spent: z.boolean(), txid: hash.optional(), vin: count.optional(), status: status.optional() }))
  .max(20_000)

const sums = z.object({
  funded_txo_count: count,
  funded_txo_sum: count,
  spent_txo_count: count,
  spent_txo_sum: count,
  tx_count: count,
})
const address = z.object({ address: text, chain_stats: sums, mempool_stats: sums })
const utxos = z.array(z.object({ txid: hash, vout: count, value: count, status })).max(50_000)
const mempool = z.object({ count, vsize: count, total_fee: z.number().min(0) })
