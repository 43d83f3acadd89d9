import { createHash } from 'node:crypto'
import { Address, NETWORK, OutScript, TEST_NETWORK } from '@scure/btc-signer'
import { OP, OPNames, RawOldTx, RawTx } from '@scure/btc-signer/script.js'
import { invalid } from '../../domain/core/errors.ts'
import {
  type BitcoinAddress,
  type BitcoinCodec,
  type BitcoinNetwork,
  type BitcoinTransaction,
  bitcoinNetworks,
} from '../../domain/ports/bitcoin.ts'

/** The most inputs, outputs and witness items of a transaction in all; a whole block of payments has fewer. */
const mostParts = 20_000
const coinbaseIndex = 0xffffffff
/** The most satoshi that there will ever be. A larger amount is invalid. */
const mostSatoshi = 2_100_000_000_000_000n

/** Decodes transactions and addresses with the signer library. */
export const bitcoinCodec: BitcoinCodec = { decode, describeAddress }

function decode(hex: string, network: BitcoinNetwork): BitcoinTransaction {
  const bytes = Buffer.from(hex, 'hex')
  const raw = parse(bytes)
  const { inputs, outputs, version, lockTime, witnesses = [] } = raw
  const parts = witnesses.reduce((sum, items) => sum + items.length, inputs.length + outputs.length)
  if (parts > mostParts) throw invalid('raw_tx', `has ${parts} inputs, outputs and witness items; at most ${mostParts}`)
  const bare = raw.segwitFlag === true ? RawOldTx.encode({ version, inputs, outputs, lockTime }) : bytes
  return {
    txid: shown(hash256(bare)),
    wtxid: shown(hash256(bytes)),
    version,
    locktime: lockTime,
    size: bytes.length,
    weight: bare.length * 3 + bytes.length,
    inputs: inputs.map(({ txid, index, finalScriptSig, sequence }, place) => {
      const isCoinbase = index === coinbaseIndex && txid.every((byte: number) => byte === 0)
      return {
        txid: hexOf(txid),
        vout: index,
        isCoinbase,
        sequence,
        scriptSig: hexOf(finalScriptSig),
        scriptSigAsm: asmOf(finalScriptSig),
        witness: (witnesses[place] ?? []).map(hexOf),
      }
    }),
    outputs: outputs.map(({ script, amount }) => ({
      script: hexOf(script),
      scriptAsm: asmOf(script),
      value: Number(amount),
      ...describeScript(script, prefixes[network]),
    })),
  }
}

function parse(bytes: Uint8Array): ReturnType<typeof RawTx.decode> {
  const raw = attempt(() => RawTx.decode(bytes))
  if (raw === null) throw invalid('raw_tx', 'is not a Bitcoin transaction: it is cut off, or has additional bytes')
  if (raw.inputs.length === 0 || raw.outputs.length === 0)
    throw invalid('raw_tx', 'is not a Bitcoin transaction: it has no inputs or no outputs')
  if (raw.outputs.some(({ amount }) => amount > mostSatoshi))
    throw invalid('raw_tx', 'pays more than all the bitcoin there will be')
  return raw
}

function describeAddress(text: string): BitcoinAddress {
  const found = bitcoinNetworks.flatMap((network) => {
    const decoded = attempt(() => Address(prefixes[network]).decode(text))
    return decoded === null ? [] : [{ network, decoded }]
  })
  const [first] = found
  if (first === undefined) return { valid: false, reason: faultOf(text) }
  const script = attempt(() => OutScript.encode(first.decoded)) ?? new Uint8Array()
  const networks = found.map(({ network }) => network)
  return { valid: true, networks, kind: kindNamed(first.decoded.type), script: hexOf(script) }
}

/** Why a text is not a valid address, as precisely as possible. */
function faultOf(text: string): string {
  if (/\s/.test(text)) return 'It has spaces in it.'
  if (/^0x[0-9a-f]*$/i.test(text)) return 'It is an address of an EVM chain.'
  if (/^ln(bc|tb|bcrt)/i.test(text)) return 'It is a Lightning invoice.'
  const word = /^(bcrt|bc|tb)1/i.exec(text)?.[1]
  if (word === undefined) return faultOfBase58(text)
  if (text !== text.toLowerCase() && text !== text.toUpperCase()) return 'It mixes upper and lower case.'
  if (/[^qpzry9x8gf2tvdw0s3jn54khce6mua7l]/.test(text.slice(word.length + 1).toLowerCase()))
    return 'It has characters that such addresses do not have.'
  const message = messageOf(text, prefixes[word.toLowerCase() === 'bc' ? 'mainnet' : 'testnet'])
  if (message.includes('witness program')) return 'Its witness version is not in use yet: coins sent to it are lost.'
  return 'Its checksum is wrong, or its length does not fit its kind.'
}

function faultOfBase58(text: string): string {
  if (/[^1-9A-HJ-NP-Za-km-z]/.test(text)) return 'It has characters that no Bitcoin address has.'
  const message = messageOf(text, prefixes.mainnet)
  if (message.includes('checksum')) return 'Its checksum is wrong: a character differs, or some are missing.'
  if (message.includes('prefix')) return 'It is an address of no Bitcoin network.'
  return 'It is too short or too long for an address.'
}

function messageOf(text: string, network: AddressPrefixes): string {
  try {
    Address(network).decode(text)
    return ''
  } catch (error) {
    return error instanceof Error ? error.message : ''
  }
}

function attempt<T>(work: () => T): T | null {
  try {
    return work()
  } catch {
    return null
  }
}

function hash256(bytes: Uint8Array): Buffer {
  const once = createHash('sha256').update(bytes).digest()
  return createHash('sha256').update(once).digest()
}

/** Hashes are displayed with the last byte first. */
function shown(hash: Buffer): string {
  return Buffer.from(hash).reverse().toString('hex')
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

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
function kindNamed(type: string): string {
  return names[type] ?? 'unknown'
}

/** Esplora's name of a script, and its address on a network; null where it has none. */
function describeScript(script: Uint8Array, network: AddressPrefixes): { kind: string; address: string | null } {
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

/** The prefixes of a network's addresses, as bytes and as text. */
type AddressPrefixes = typeof NETWORK

/** Signet has the prefixes of the test network. Regtest has them too, except that of segwit addresses. */
export const prefixes: Readonly<Record<BitcoinNetwork, AddressPrefixes>> = {
  mainnet: NETWORK,
  testnet: TEST_NETWORK,
  signet: TEST_NETWORK,
  regtest: { ...TEST_NETWORK, bech32: 'bcrt' },
}
