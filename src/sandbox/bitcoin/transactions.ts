import { hash } from 'node:crypto'
import { RawOldTx, RawTx, Script } from '@scure/btc-signer/script.js'

/** An encoded transaction. Its ids are in internal byte order; `bareLength` is its length without witnesses. */
export type Transaction = { id: Buffer; witnessId: Buffer; bytes: Uint8Array; bareLength: number }

export type Output = { script: Uint8Array; value: bigint }
/** An output that can be spent. */
export type Coin = { id: Buffer; index: number; value: bigint }

/** A script that anybody can spend, and the segwit output script for it. The sandbox needs no key this way. */
const anybody = Uint8Array.of(0x51)
export const anybodyScript = Script.encode(['OP_0', sha256(anybody)])

/** The reward transaction of a block. The height makes it unique; `commitment` covers the witnesses of the block. */
export function rewardTransaction(height: number, value: bigint, commitment: Uint8Array): Transaction {
  const zero = new Uint8Array(32)
  const input = { txid: zero, index: 0xffffffff, finalScriptSig: heightScript(height), sequence: 0xffffffff }
  const outputs = [
    { script: anybodyScript, value },
    { script: Script.encode(['RETURN', Buffer.concat([Buffer.from('aa21a9ed', 'hex'), commitment])]), value: 0n },
  ]
  return encoded([input], outputs, [[zero]])
}

/** Spends coins of `anybodyScript`. */
export function payment(coins: readonly Coin[], outputs: readonly Output[]): Transaction {
  const inputs = coins.map(({ id, index }) => ({
    // The library takes ids as they are displayed.
    txid: Buffer.from(id).reverse(),
    index,
    sequence: 0xfffffffd,
    finalScriptSig: new Uint8Array(),
  }))
  return encoded(
    inputs,
    outputs,
    coins.map(() => [anybody]),
  )
}

type Input = { txid: Uint8Array; index: number; finalScriptSig: Uint8Array; sequence: number }

function encoded(inputs: Input[], outputs: readonly Output[], witnesses: Uint8Array[][]): Transaction {
  const paid = outputs.map(({ script, value }) => ({ script, amount: value }))
  const parts = { version: 2, inputs, outputs: paid, lockTime: 0 }
  const bytes = RawTx.encode({ ...parts, segwitFlag: true, witnesses })
  const bare = RawOldTx.encode(parts)
  return { id: hash256(bare), witnessId: hash256(bytes), bytes, bareLength: bare.length }
}

/** The height as a script number, followed by the name of this chain. */
function heightScript(height: number): Uint8Array {
  return Script.encode([height, Buffer.from('trident sandbox')])
}

/** The Merkle root of hashes. The last hash of an odd row counts twice. */
export function merkleRoot(leaves: readonly Buffer[]): Buffer {
  let row = [...leaves]
  while (row.length > 1) {
    const next: Buffer[] = []
    for (let at = 0; at < row.length; at += 2) {
      const left = row[at] ?? Buffer.alloc(32)
      next.push(hash256(Buffer.concat([left, row[at + 1] ?? left])))
    }
    row = next
  }
  return row[0] ?? Buffer.alloc(32)
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
