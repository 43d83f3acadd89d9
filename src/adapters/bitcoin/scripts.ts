import { Address, OutScript } from '@scure/btc-signer'
import { OP, OPNames } from '@scure/btc-signer/script.js'
import type { AddressPrefixes } from './networks.ts'

const names: Readonly<Record<string, string>> = {
  pk: 'p2pk',
  pkh: 'p2pkh',
  sh: 'p2sh',
  ms: 'multisig',
  wpkh: 'v0_p2wpkh',
  wsh: 'v0_p2wsh',
  tr: 'v1_p2tr',
  p2a: 'anchor',
}

/** Esplora's name of the library's script type; `unknown` where it has none. */
export function kindNamed(type: string): string {
  return names[type] ?? 'unknown'
}

/** Esplora's name of a script, and its address on a network; null where it has none. */
export function describeScript(script: Uint8Array, network: AddressPrefixes): { kind: string; address: string | null } {
  if (script.length === 0) return { kind: 'empty', address: null }
  if (script[0] === OP.RETURN) return { kind: 'op_return', address: null }
  try {
    const decoded = OutScript.decode(script)
    const kind = kindNamed(decoded.type)
    return { kind, address: kind === 'unknown' || bare.has(kind) ? null : Address(network).encode(decoded) }
  } catch {
    return { kind: 'unknown', address: null } // a script can be any bytes
  }
}

/** Kinds without an address. */
const bare: ReadonlySet<string> = new Set(['p2pk', 'multisig'])

/** A script as assembly text, as Esplora writes it. A script that is cut off ends with a note instead of an error. */
export function asmOf(script: Uint8Array): string {
  const words: string[] = []
  let at = 0
  while (at < script.length) {
    const code = script[at] ?? 0
    at += 1
    const push = pushOf(script, code, at)
    words.push(push?.word ?? wordOf(code))
    if (push === null) continue
    const from = at + push.lengthBytes
    if (from + push.length > script.length || push.length < 0) return [...words, '<push past end>'].join(' ')
    if (push.length > 0) words.push(Buffer.from(script.subarray(from, from + push.length)).toString('hex'))
    at = from + push.length
  }
  return words.join(' ')
}

type Push = { word: string; lengthBytes: number; length: number }

/** The data that an instruction pushes; the length is -1 where even that is cut off. Null for other instructions. */
function pushOf(script: Uint8Array, code: number, at: number): Push | null {
  if (code >= 1 && code <= 75) return { word: `OP_PUSHBYTES_${code}`, lengthBytes: 0, length: code }
  if (code < OP.PUSHDATA1 || code > OP.PUSHDATA4) return null
  const lengthBytes = 2 ** (code - OP.PUSHDATA1)
  const isWhole = at + lengthBytes <= script.length
  const length = isWhole ? Buffer.from(script.subarray(at, at + lengthBytes)).readUIntLE(0, lengthBytes) : -1
  return { word: `OP_PUSHDATA${lengthBytes}`, lengthBytes, length }
}

function wordOf(code: number): string {
  if (code === OP.CHECKLOCKTIMEVERIFY) return 'OP_CLTV'
  if (code === OP.CHECKSEQUENCEVERIFY) return 'OP_CSV'
  if (code === OP['1NEGATE']) return 'OP_PUSHNUM_NEG1'
  if (code >= OP.OP_1 && code <= OP.OP_16) return `OP_PUSHNUM_${code - OP.OP_1 + 1}`
  if (code === OP.INVALID) return 'OP_INVALIDOPCODE'
  if (code === OP.OP_0) return 'OP_0'
  const name = OPNames[code]
  return name === undefined ? `OP_RETURN_${code}` : `OP_${name}`
}
