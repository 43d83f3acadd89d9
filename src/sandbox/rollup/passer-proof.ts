import { concat, type Hex, keccak256, numberToHex, pad } from 'viem'
import { z } from 'zod'
import { messagePasser } from '../../opstack/predeploys.ts'
import type { Engine } from '../engine/engine.ts'
import type { Ledger, PasserProof } from './ledger.ts'

type Proof = { storageHash: Hex; storageProof: { key: Hex; value: Hex; proof: Hex[] }[] }

/** The storage slot of a withdrawal in the message passer: in the mapping at slot 0. */
function slotOf(withdrawal: Hex): Hex {
  return keccak256(concat([withdrawal, numberToHex(0, { size: 32 })]))
}

/** Reads the message passer's account with proofs of some slots, at a block whose state the engine has. */
export async function readPasser(call: Engine['call'], block: number, slots: readonly Hex[]): Promise<Proof> {
  return (await call('eth_getProof', [messagePasser, slots, numberToHex(block)])) as Proof
}

/**
 * The proof with which these withdrawals can be proven at the block of an output. It is stored because it may be needed
 * long after the engine has dropped the block's state. Null where there are no withdrawals.
 */
export async function takeProof(
  call: Engine['call'],
  block: number,
  withdrawals: readonly Hex[],
): Promise<PasserProof | null> {
  if (withdrawals.length === 0) return null
  return { block, answer: JSON.stringify(await readPasser(call, block, withdrawals.map(slotOf))) }
}

const proofParams = z.tuple([
  z.string().refine((address) => address.toLowerCase() === messagePasser),
  z.array(z.string().regex(/^0x[0-9a-fA-F]{1,64}$/)).max(100),
  z.string().regex(/^0x[0-9a-fA-F]{1,10}$/),
])

/** The result of an `eth_getProof` for a block whose state the engine no longer has; null where it is not stored. */
export function storedProof(ledger: Ledger, params: readonly unknown[]): unknown {
  const parsed = proofParams.safeParse(params)
  if (!parsed.success) return null
  const [, keys, block] = parsed.data
  const stored = ledger.proof(Number(block))
  if (!stored) return null
  const proof = JSON.parse(stored.answer) as Proof
  const bySlot = new Map(proof.storageProof.map((entry) => [wide(entry.key), entry]))
  const storageProof = keys.map((key) => bySlot.get(wide(key as Hex)))
  return storageProof.includes(undefined) ? null : { ...proof, storageProof }
}

function wide(key: Hex): Hex {
  return pad(key, { size: 32 }).toLowerCase() as Hex
}
