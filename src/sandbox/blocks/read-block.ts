import { type Hex, numberToHex } from 'viem'
import type { Engine } from '../engine/engine.ts'
import type { BlockStore } from './block-store.ts'
import type { WholeBlock, WireObject } from './whole-block.ts'

/** Copies a block from the engine to the store, unless the store has it. */
export async function storeBlock(
  store: BlockStore,
  call: Engine['call'],
  { number, hash }: { number: number; hash: Hex },
): Promise<void> {
  if (store.hashOf(number) === hash) return
  const whole = await readWhole(call, number)
  if (whole?.block.hash !== hash) throw new Error(`the engine does not have block ${number} as ${hash}`)
  store.add(whole)
}

/** Copies all blocks after the newest stored one, up to `number`. Throws where the engine lacks one of them. */
export async function storeBlocksTo(store: BlockStore, call: Engine['call'], number: number): Promise<void> {
  for (let next = store.last() + 1; next <= number; next += 1) {
    const whole = await readWhole(call, next)
    if (!whole) throw new Error(`block ${next} is neither in the block store nor in the engine`)
    store.add(whole)
  }
}

async function readWhole(call: Engine['call'], number: number): Promise<WholeBlock | null> {
  const id = numberToHex(number)
  const block = (await call('eth_getBlockByNumber', [id, true])) as WholeBlock['block'] | null
  if (block === null) return null
  const receipts = block.transactions.length === 0 ? [] : await call('eth_getBlockReceipts', [id])
  return { block, receipts: receipts as WireObject[] }
}
