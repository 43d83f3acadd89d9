import { Address, NETWORK, OutScript, p2tr, p2wpkh, Transaction } from '@scure/btc-signer'
import { RawTx } from '@scure/btc-signer/script.js'
import { pubECDSA, pubSchnorr, sha256x2 } from '@scure/btc-signer/utils.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DomainError } from '../../domain/core/errors.ts'
import { bitcoinNetworks } from '../../domain/ports/bitcoin.ts'
import { asmOf, bitcoinCodec, prefixes } from './codec.ts'

const { decode, describeAddress } = bitcoinCodec
const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })

describe('transactions', () => {
  test('the first block pays its reward to a bare key', () => {
    const found = decode(genesis, 'mainnet')
    expect(found).toMatchObject({
      txid: '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b',
      version: 1,
      locktime: 0,
      size: 204,
      weight: 816,
    })
    expect(found.wtxid).toBe(found.txid)
    expect(found.inputs).toMatchObject([{ isCoinbase: true, vout: 0xffffffff, sequence: 0xffffffff }])
    expect(found.inputs[0]?.scriptSigAsm).toMatch(/^OP_PUSHBYTES_4 ffff001d OP_PUSHBYTES_1 04 OP_PUSHBYTES_69 /)
    expect(found.outputs).toMatchObject([{ kind: 'p2pk', address: null, value: 5_000_000_000 }])
  })

  test('a signed segwit transaction has the ids and sizes of the library that made it', () => {
    const key = new Uint8Array(32).fill(7)
    const from = p2wpkh(pubECDSA(key))
    const transaction = new Transaction()
    transaction.addInput({
      txid: '0f'.repeat(32),
      index: 3,
      witnessUtxo: { script: from.script, amount: 90_000n },
    })
    const taproot = p2tr(pubSchnorr(key)).address ?? ''
    transaction.addOutputAddress(taproot, 50_000n)
    transaction.addOutputAddress('3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy', 39_000n)
    transaction.sign(key)
    transaction.finalize()
    const witnessId = hexOf(sha256x2(transaction.toBytes(true, true)).reverse())
    const found = decode(transaction.hex, 'mainnet')
    expect(found).toMatchObject({ txid: transaction.id, wtxid: witnessId, weight: transaction.weight })
    expect(found.inputs).toMatchObject([{ txid: '0f'.repeat(32), vout: 3, isCoinbase: false, scriptSig: '' }])
    expect(found.inputs[0]?.witness).toHaveLength(2)
    expect(found.outputs).toMatchObject([
      { kind: 'v1_p2tr', address: taproot, value: 50_000 },
      { kind: 'p2sh', address: '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy', value: 39_000 },
    ])
    expect(decode(transaction.hex, 'regtest').outputs[0]?.address).toMatch(/^bcrt1p/)
  })

  const rawTransaction = fc.record({
    version: fc.integer({ min: 1, max: 2 }),
    inputs: fc.array(
      fc.record({
        txid: bytes(32),
        index: fc.nat(0xffffffff),
        finalScriptSig: fc.uint8Array({ maxLength: 80 }),
        sequence: fc.nat(0xffffffff),
      }),
      { minLength: 1, maxLength: 5 },
    ),
    outputs: fc.array(
      fc.record({ amount: fc.bigInt(0n, 2_100_000_000_000_000n), script: fc.uint8Array({ maxLength: 80 }) }),
      { minLength: 1, maxLength: 5 },
    ),
    lockTime: fc.nat(0xffffffff),
  })

  test('any transaction says its bytes again, with a witness and without', () => {
    fc.assert(
      fc.property(rawTransaction, fc.boolean(), (fields, segwitFlag) => {
        const witnesses = fields.inputs.map(({ txid }) => [txid, new Uint8Array()])
        const raw = RawTx.encode({ ...fields, segwitFlag, ...(segwitFlag ? { witnesses } : { witnesses: undefined }) })
        const found = decode(hexOf(raw), 'mainnet')
        expect(found).toMatchObject({ version: fields.version, locktime: fields.lockTime, size: raw.length })
        expect(found.inputs.map(({ txid, vout, scriptSig }) => [txid, vout, scriptSig])).toEqual(
          fields.inputs.map(({ txid, index, finalScriptSig }) => [hexOf(txid), index, hexOf(finalScriptSig)]),
        )
        expect(found.inputs.map(({ witness }) => witness)).toEqual(
          segwitFlag ? witnesses.map((items) => items.map(hexOf)) : fields.inputs.map(() => []),
        )
        expect(found.outputs.map(({ script, value }) => [script, BigInt(value)])).toEqual(
          fields.outputs.map(({ script, amount }) => [hexOf(script), amount]),
        )
      }),
    )
  })

  test('any bytes that are not a transaction are refused with the name of the field', () => {
    const cut = fc.nat(genesis.length / 2 - 1).map((length) => genesis.slice(0, 2 * length))
    const hostile = fc.oneof(
      fc.uint8Array({ maxLength: 300 }).map(hexOf),
      cut,
      fc.constantFrom(
        ...['00'.repeat(10), '02000000ffffffffffffffffff00', `01000000fe${'ff'.repeat(4)}${'00'.repeat(400)}`],
        ...[`${genesis}00`, genesis.replace('00f2052a01000000', 'ffffffffffffffff')],
      ),
    )
    fc.assert(
      fc.property(hostile, (hex) => [null, 'INVALID_ARGUMENT'].includes(refusalOf(hex))),
      { numRuns: 500 },
    )
    expect(refusalOf(`${genesis}00`)).toBe('INVALID_ARGUMENT')
    expect(refusalOf(genesis.replace('00f2052a01000000', 'ffffffffffffffff'))).toBe('INVALID_ARGUMENT')
  })

  test('as many parts as the hex can hold are refused', () => {
    const outputs = Array.from({ length: 40_000 }, () => ({ amount: 0n, script: new Uint8Array() }))
    const input = { txid: new Uint8Array(32), index: 0, finalScriptSig: new Uint8Array(), sequence: 0 }
    const raw = RawTx.encode({
      version: 2,
      inputs: [input],
      outputs,
      lockTime: 0,
      segwitFlag: false,
      witnesses: undefined,
    })
    expect(refusalOf(hexOf(raw))).toBe('INVALID_ARGUMENT')
  })
})

describe('scripts', () => {
  test.each([
    ['6a0461626364', 'OP_RETURN OP_PUSHBYTES_4 61626364'],
    ['5121b2ad', 'OP_PUSHNUM_1 OP_PUSHBYTES_33 <push past end>'],
    ['b1b2ad4f', 'OP_CLTV OP_CSV OP_CHECKSIGVERIFY OP_PUSHNUM_NEG1'],
    ['4c02aabb', 'OP_PUSHDATA1 aabb'],
    ['4d0200aa', 'OP_PUSHDATA2 <push past end>'],
    ['4e00', 'OP_PUSHDATA4 <push past end>'],
    ['00bbff', 'OP_0 OP_RETURN_187 OP_INVALIDOPCODE'],
  ])('%s reads %s', (hex, words) => expect(asmOf(Buffer.from(hex, 'hex'))).toBe(words))

  test('any bytes have an assembly text', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (script) => typeof asmOf(script) === 'string'))
  })
})

describe('addresses', () => {
  const scripts = fc.oneof(
    bytes(20).map((hash) => ({ type: 'pkh' as const, hash })),
    bytes(20).map((hash) => ({ type: 'sh' as const, hash })),
    bytes(20).map((hash) => ({ type: 'wpkh' as const, hash })),
    bytes(32).map((hash) => ({ type: 'wsh' as const, hash })),
    fc
      .uint8Array({ minLength: 32, maxLength: 32 })
      .filter((key) => key.some((byte) => byte > 0) && (key[0] ?? 0) < 0xff)
      .map((key) => ({ type: 'tr' as const, pubkey: pubSchnorr(key) })),
  )

  test('every kind on every network is known again, with the script that pays it', () => {
    fc.assert(
      fc.property(scripts, fc.constantFrom(...bitcoinNetworks), (script, network) => {
        const found = describeAddress(Address(prefixes[network]).encode(script))
        expect(found).toMatchObject({ valid: true, script: hexOf(OutScript.encode(script)) })
        expect(found.valid && found.networks).toContain(network)
        expect(found.valid && found.networks.includes('mainnet')).toBe(network === 'mainnet')
      }),
    )
  })

  test('one different character makes an address invalid', () => {
    const alphabet = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
    const place = fc.nat({ max: 37 }).map((index) => index + 4)
    fc.assert(
      fc.property(bytes(20), place, fc.constantFrom(...alphabet), (hash, at, letter) => {
        const text = Address(NETWORK).encode({ type: 'wpkh', hash })
        fc.pre(text[at] !== letter)
        expect(describeAddress(text.slice(0, at) + letter + text.slice(at + 1)).valid).toBe(false)
      }),
    )
  })

  test.each([
    ['1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', 'p2pkh', ['mainnet']],
    ['BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4', 'v0_p2wpkh', ['mainnet']],
    ['mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn', 'p2pkh', ['testnet', 'signet', 'regtest']],
    ['tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx', 'v0_p2wpkh', ['testnet', 'signet']],
    ['bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0', 'v1_p2tr', ['mainnet']],
    ['bc1pfeessrawgf', 'anchor', ['mainnet']],
  ])('%s is of the kind %s', (address, kind, networks) =>
    expect(describeAddress(address)).toMatchObject({ valid: true, kind, networks }),
  )

  test.each([
    ['0xdAC17F958D2ee523a2206206994597C13D831ec7', 'EVM'],
    ['lnbc20m1pvjluezpp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqf', 'Lightning'],
    ['Bc1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4', 'mixes'],
    ['bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs', 'witness version'],
    ['bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5', 'checksum'],
    ['bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3tb', 'characters'],
    ['1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb', 'checksum'],
    ['LM2WMpR1Rp6j3Sa59cMXMs1SPzj9eXpGc1', 'no Bitcoin network'],
    ['1', 'too short'],
    ['O0Il', 'characters'],
    [' 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', 'spaces'],
  ])('%s is none: %s', (address, word) =>
    expect(describeAddress(address)).toMatchObject({ valid: false, reason: expect.stringContaining(word) }),
  )

  test('any text gets an answer', () => {
    fc.assert(fc.property(fc.string({ maxLength: 200 }), (text) => typeof describeAddress(text).valid === 'boolean'))
  })
})

function refusalOf(hex: string): string | null {
  try {
    decode(hex, 'mainnet')
    return null
  } catch (error) {
    if (!(error instanceof DomainError) || error.details.violations?.[0]?.path !== 'raw_tx') throw error
    return error.code
  }
}

/** The only transaction of the first block. */
const genesis =
  '01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff4d04ffff001d0104455468652054696d' +
  '65732030332f4a616e2f32303039204368616e63656c6c6f72206f6e206272696e6b206f66207365636f6e64206261696c6f757420666f7220' +
  '62616e6b73ffffffff0100f2052a01000000434104678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f' +
  '4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5fac00000000'
