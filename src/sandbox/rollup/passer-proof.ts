import { concat, type Hex, keccak256, numberToHex, pad } from 'viem'
import { z } from 'zod'
import { messagePasser } from '../../opstack/messages.ts'
import type { Engine } from '../engine/engine.ts'
import type { Ledger, PasserProof } from './ledger.ts'

type Answer = { storageHash: Hex; storageProof: { key: Hex; value: Hex; proof: Hex[] }[] }

/** Where the message passer has a withdrawal's mark: in the mapping at slot 0. */
function slotOf(withdrawal: Hex): Hex {
  return keccak256(concat([withdrawal, numberToHex(0, { size: 32 })]))
}

/** Asks the engine for the message passer's account at a block whose state it has, with proofs of some slots. */
export async function readPasser(call: Engine['call'], block: number, slots: readonly Hex[]): Promise<Answer> {
  return (await call('eth_getProof', [messagePasser, slots, numberToHex(block)])) as Answer
}

/**
 * The proofs with which these withdrawals can be claimed at an output's block, to be kept: whoever withdraws may come
 * for them long after the engine has forgotten the block's state. Null where there are none.
 */
export async function takeProof(
  call: Engine['call'],
  block: number,
  withdrawals: readonly Hex[],
): Promise<PasserProof | null> {
  if (withdrawals.length === 0) return null
  return { block, answer: JSON.stringify(await readPasser(call, block, withdrawals.map(slotOf))) }
}

const question = z.tuple([
  z.string().refine((address) => address.toLowerCase() === messagePasser),
  z.array(z.string().regex(/^0x[0-9a-fA-F]{1,64}$/)).max(100),
  z.string().regex(/^0x[0-9a-fA-F]{1,10}$/),
])

/** The answer to an `eth_getProof` that the engine cannot answer any more, from what was kept; null if it was not. */
export function storedProof(ledger: Ledger, params: readonly unknown[]): unknown {
  const asked = question.safeParse(params)
  if (!asked.success) return null
  const [, keys, block] = asked.data
  const kept = ledger.proof(Number(block))
  if (!kept) return null
  const answer = JSON.parse(kept.answer) as Answer
  const bySlot = new Map(answer.storageProof.map((entry) => [wide(entry.key), entry]))
  const storageProof = keys.map((key) => bySlot.get(wide(key as Hex)))
  return storageProof.includes(undefined) ? null : { ...answer, storageProof }
}

function wide(key: Hex): Hex {
  return pad(key, { size: 32 }).toLowerCase() as Hex
}
