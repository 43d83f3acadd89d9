import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Hex, hexToBigInt, numberToHex } from 'viem'
import type { BlockStore } from './block-store.ts'

/** The base fee that the block after the newest one will have. */
export type NextBaseFee = () => Promise<Hex>

const mostBlocks = 1_024
const blocksATurn = 25

/**
 * The fees of the blocks up to one, oldest first; undefined where it does not understand what is asked. The engine
 * knows only those of the blocks that it made itself.
 */
export async function feeHistory(
  store: BlockStore,
  nextBaseFee: NextBaseFee,
  newest: number | undefined,
  [blockCount, , percentiles]: readonly unknown[],
): Promise<unknown> {
  const count = Math.min(Number(blockCount), mostBlocks)
  const asked = percentiles ?? []
  if (newest === undefined || !(count >= 1) || !Array.isArray(asked)) return undefined
  if (!asked.every((each) => typeof each === 'number' && each >= 0 && each <= 100)) return undefined
  const oldest = Math.max(0, newest - count + 1)
  const history = { baseFeePerGas: [] as Hex[], gasUsedRatio: [] as number[], reward: [] as Hex[][] }
  for (let number = oldest; number <= newest; number += 1) {
    if ((number - oldest) % blocksATurn === blocksATurn - 1) await nextTurn()
    const { baseFeePerGas, gasUsed, gasLimit } = store.header(number) as Record<string, Hex>
    history.baseFeePerGas.push(baseFeePerGas as Hex)
    history.gasUsedRatio.push(Number(gasUsed) / Number(gasLimit))
    if (asked.length > 0) history.reward.push(rewards(store, number, hexToBigInt(baseFeePerGas as Hex), asked))
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

/** For each percentile the tip of the transaction in which that part of the block's gas was used, tips rising. */
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

/** A deposit pays nothing, not even the base fee. */
function positive(tip: bigint): bigint {
  return tip > 0n ? tip : 0n
}
