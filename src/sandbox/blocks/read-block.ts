import { type Hex, numberToHex } from 'viem'
import type { Engine } from '../engine/engine.ts'
import type { BlockStore } from './block-store.ts'
import type { WholeBlock, WireObject } from './whole-block.ts'

/** Takes a block that the engine has into the store, unless it is there already. */
export async function keepBlock(
  store: BlockStore,
  call: Engine['call'],
  { number, hash }: { number: number; hash: Hex },
): Promise<void> {
  if (store.hashOf(number) === hash) return
  const whole = await readWhole(call, number)
  if (whole?.block.hash !== hash) throw new Error(`the engine does not have block ${number} as ${hash}`)
  store.add(whole)
}

/** Takes every block up to one that the store lacks at its end. Throws where the engine lacks one of them too. */
export async function keepBlocksTo(store: BlockStore, call: Engine['call'], number: number): Promise<void> {
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
