import { z } from 'zod'
import type { BitcoinChain } from '../../domain/ports/bitcoin.ts'
import type { Sourced } from '../../domain/ports/sourced.ts'
import {
  address,
  block,
  blocks,
  hash,
  hashes,
  hex,
  mempool,
  outspends,
  status,
  transaction,
  transactions,
  utxos,
} from './esplora-wire.ts'
import type { Asked, HttpProvider } from './http.ts'

const fees = z
  .record(z.string().regex(/^\d{1,4}$/), z.number().min(0).max(1e9))
  .refine((all) => Object.keys(all).length <= 200)

/** How long the newest block, what cannot change, what may and the fees are taken for true. */
const [tipMs, settledMs, movingMs, feesMs] = [1_000, 600_000, 2_000, 10_000]
const mostBytes = 8 * 1_048_576

/** Bitcoin by a provider in the format of Esplora; `source` names it in answers. */
export function createBitcoinChain(provider: HttpProvider, source: string): BitcoinChain {
  async function ask<T>(asked: Omit<Asked<T>, 'mostBytes'>): Promise<Sourced<T>> {
    return { ...(await provider.ask({ mostBytes, ...asked })), source }
  }
  const text = { schema: hex, plain: true }
  const settled = { cacheMs: settledMs }
  const moving = { cacheMs: movingMs }
  return {
    async latestBlock(signal) {
      const tip = await provider.ask({ path: '/blocks/tip/hash', schema: hash, plain: true, cacheMs: tipMs, signal })
      const asked = { path: `/block/${tip.value}`, schema: block, cacheMs: settledMs, signal }
      const { value, latencyMs } = await provider.ask(asked)
      const { id, tx_count, mediantime, merkle_root, previousblockhash, ...same } = value
      const facts = { ...same, hash: id, transactions: tx_count, medianTime: mediantime, merkleRoot: merkle_root }
      const known = { ...facts, previousHash: previousblockhash ?? null }
      return { value: known, source, ageMs: tip.ageMs, latencyMs: tip.latencyMs + latencyMs }
    },
    async fees(signal) {
      const { value, ...told } = await provider.ask({ path: '/fee-estimates', schema: fees, cacheMs: feesMs, signal })
      const list = Object.entries(value).map(([blocks, satPerVbyte]) => ({ blocks: Number(blocks), satPerVbyte }))
      return { ...told, source, value: list.sort((left, right) => left.blocks - right.blocks) }
    },
    async tip(signal) {
      const at = await ask({ path: '/blocks/tip/hash', schema: hash, plain: true, cacheMs: tipMs, signal })
      const { value } = await ask({ path: `/block/${at.value}`, schema: block, ...settled, signal })
      return { ...at, value: { height: value.height, id: at.value } }
    },
    blockHash: (height, signal) =>
      ask({ path: `/block-height/${height}`, schema: hash, plain: true, ...moving, signal }),
    block: (id, signal) => ask({ path: `/block/${id}`, schema: block, ...settled, signal }),
    header: (id, signal) => ask({ path: `/block/${id}/header`, ...text, ...settled, signal }),
    blockTransactions: (id, signal) => ask({ path: `/block/${id}/txids`, schema: hashes, ...settled, signal }),
    blocks: (from, signal) =>
      ask({ path: from === null ? '/blocks' : `/blocks/${from}`, schema: blocks, ...moving, signal }),
    transaction: (id, signal) => ask({ path: `/tx/${id}`, schema: transaction, ...moving, signal }),
    transactionStatus: (id, signal) => ask({ path: `/tx/${id}/status`, schema: status, ...moving, signal }),
    transactionHex: (id, signal) => ask({ path: `/tx/${id}/hex`, ...text, ...settled, signal }),
    outspends: (id, signal) => ask({ path: `/tx/${id}/outspends`, schema: outspends, ...moving, signal }),
    address: (name, signal) => ask({ path: `/address/${name}`, schema: address, ...moving, signal }),
    utxos: (name, signal) => ask({ path: `/address/${name}/utxo`, schema: utxos, ...moving, signal }),
    addressTransactions(name, after, signal) {
      const path = `/address/${name}/txs${after === null ? '' : `/chain/${after}`}`
      return ask({ path, schema: transactions, ...moving, signal })
    },
    mempool: (signal) => ask({ path: '/mempool', schema: mempool, ...moving, signal }),
  }
}
