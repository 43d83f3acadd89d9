import { hash } from 'node:crypto'
import { RawOldTx, RawTx, Script } from '@scure/btc-signer/script.js'

/** An encoded transaction. Its ids are in internal byte order. */
export type Transaction = { id: Buffer; witnessId: Buffer; bytes: Uint8Array }

export type Output = { script: Uint8Array; amount: bigint }
/** The first output of a transaction, which can be spent. */
export type Coin = { id: Buffer; value: bigint }

/** A script that anybody can spend, and the segwit output script for it. The sandbox needs no key this way. */
const anybody = Uint8Array.of(0x51)
export const anybodyScript = Script.encode(['OP_0', sha256(anybody)])

/** The reward transaction of a block. The height makes it unique; `commitment` covers the witnesses of the block. */
export function rewardTransaction(height: number, amount: bigint, commitment: Uint8Array): Transaction {
  const zero = new Uint8Array(32)
  const finalScriptSig = Script.encode([height, Buffer.from('trident sandbox')])
  const input = { txid: zero, index: 0xffffffff, finalScriptSig, sequence: 0xffffffff }
  const committed = Script.encode(['RETURN', Buffer.concat([Buffer.from('aa21a9ed', 'hex'), commitment])])
  return encoded(
    [input],
    [
      { script: anybodyScript, amount },
      { script: committed, amount: 0n },
    ],
    zero,
  )
}

/** Spends coins of `anybodyScript`. */
export function payment(coins: readonly Coin[], outputs: Output[]): Transaction {
  const rest = { index: 0, sequence: 0xfffffffd, finalScriptSig: new Uint8Array() }
  // The library takes ids as they are displayed.
  const inputs = coins.map(({ id }) => ({ txid: Buffer.from(id).reverse(), ...rest }))
  return encoded(inputs, outputs, anybody)
}

type Input = { txid: Uint8Array; index: number; finalScriptSig: Uint8Array; sequence: number }

function encoded(inputs: Input[], outputs: Output[], witness: Uint8Array): Transaction {
  const parts = { version: 2, inputs, outputs, lockTime: 0 }
  const bytes = RawTx.encode({ ...parts, segwitFlag: true, witnesses: inputs.map(() => [witness]) })
  return { id: hash256(RawOldTx.encode(parts)), witnessId: hash256(bytes), bytes }
}

/** The Merkle root of the one or two hashes of a block here. */
export function merkleRoot(leaves: readonly Buffer[]): Buffer {
  const [first = Buffer.alloc(32), second] = leaves
  return second === undefined ? first : hash256(Buffer.concat([first, second]))
}

export function hash256(bytes: Uint8Array): Buffer {
  return sha256(sha256(bytes))
}

export function sha256(bytes: Uint8Array): Buffer {
  return hash('sha256', bytes, 'buffer')
}

/** A hash as it is displayed, last byte first. */
export function displayed(hash: Uint8Array): string {
  return Buffer.from(hash).reverse().toString('hex')
}
