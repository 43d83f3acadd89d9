import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Hex, hexToBigInt, numberToHex } from 'viem'
import type { BlockStore } from './block-store.ts'

/** Reads the base fee of the block after the newest one. */
export type NextBaseFee = () => Promise<Hex>

const maxBlocks = 1_024
/** The event loop gets a turn after so many blocks. */
const blocksPerTurn = 25

/**
 * The result of `eth_feeHistory` up to a block, oldest first; undefined for parameters that it does not understand. The
 * engine knows only the fees of the blocks that it mined itself.
 */
export async function feeHistory(
  store: BlockStore,
  nextBaseFee: NextBaseFee,
  newest: number | undefined,
  [blockCount, , percentiles]: readonly unknown[],
): Promise<unknown> {
  const count = Math.min(Number(blockCount), maxBlocks)
  const wanted = percentiles ?? []
  if (newest === undefined || !(count >= 1) || !Array.isArray(wanted)) return undefined
  if (!wanted.every((each) => typeof each === 'number' && each >= 0 && each <= 100)) return undefined
  const oldest = Math.max(0, newest - count + 1)
  const history = { baseFeePerGas: [] as Hex[], gasUsedRatio: [] as number[], reward: [] as Hex[][] }
  for (let number = oldest; number <= newest; number += 1) {
    if ((number - oldest) % blocksPerTurn === blocksPerTurn - 1) await nextTurn()
    const { baseFeePerGas, gasUsed, gasLimit } = store.header(number) as Record<string, Hex>
    history.baseFeePerGas.push(baseFeePerGas as Hex)
    history.gasUsedRatio.push(Number(gasUsed) / Number(gasLimit))
    if (wanted.length > 0) history.reward.push(rewards(store, number, hexToBigInt(baseFeePerGas as Hex), wanted))
  }
  const after = store.header(newest + 1)?.baseFeePerGas as Hex | undefined
  history.baseFeePerGas.push(after ?? (await nextBaseFee()))
  const { reward, ...fees } = history
  return {
    ...fees,
    baseFeePerBlobGas: fees.baseFeePerGas.map(() => '0x1'),
    blobGasUsedRatio: fees.gasUsedRatio.map(() => 0),
    oldestBlock: numberToHex(oldest),
    reward,
  }
}

/** For each percentile: the tip of the transaction at that share of the block's gas, in order of rising tips. */
function rewards(store: BlockStore, number: number, baseFee: bigint, percentiles: readonly number[]): Hex[] {
  const paid = store.transactions(number).map(({ receipt }) => ({
    gas: Number(receipt.gasUsed),
    tip: positive(hexToBigInt(receipt.effectiveGasPrice as Hex) - baseFee),
  }))
  paid.sort((a, b) => Number(a.tip - b.tip))
  const total = paid.reduce((sum, { gas }) => sum + gas, 0)
  return percentiles.map((percentile) => {
    let used = 0
    const found = paid.find(({ gas }) => {
      used += gas
      return used >= Math.floor((total * percentile) / 100)
    })
    return numberToHex(found?.tip ?? 0n)
  })
}

/** A deposit does not even pay the base fee, so its tip would be negative. */
function positive(tip: bigint): bigint {
  return tip > 0n ? tip : 0n
}
