import { z } from 'zod'
import type { BitcoinChain } from '../../domain/ports/bitcoin.ts'
import type { HttpProvider } from './http.ts'

const count = z.int().min(0)
const hash = z
  .string()
  .trim()
  .regex(/^[0-9a-f]{64}$/)
const block = z.object({
  ...{ id: hash, height: count, version: z.int(), timestamp: count, mediantime: count, tx_count: count },
  ...{ size: count, weight: count, merkle_root: hash, previousblockhash: hash.nullish() },
  ...{ nonce: count, bits: count, difficulty: z.number() },
})
const fees = z
  .record(z.string().regex(/^\d{1,4}$/), z.number().min(0).max(1e9))
  .refine((all) => Object.keys(all).length <= 200)

/** How long the newest block, a block and the fees are taken for true. */
const [tipMs, blockMs, feesMs] = [1_000, 600_000, 10_000]

/** Bitcoin by a provider in the format of Esplora; `source` names it in answers. */
export function createBitcoinChain(provider: HttpProvider, source: string): BitcoinChain {
  return {
    async latestBlock(signal) {
      const tip = await provider.ask({ path: '/blocks/tip/hash', schema: hash, plain: true, cacheMs: tipMs, signal })
      const asked = { path: `/block/${tip.value}`, schema: block, cacheMs: blockMs, signal }
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
  }
}
