import fc from 'fast-check'
import {
  concat,
  fromRlp,
  type Hex,
  numberToHex,
  parseTransaction,
  serializeTransaction,
  slice,
  toHex,
  toRlp,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { readTransaction } from './read-transaction.ts'

const chainId = 84_532
const key = generatePrivateKey()
const account = privateKeyToAccount(key)
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

const hex = (length: number) => fc.uint8Array({ minLength: length, maxLength: length }).map((bytes) => toHex(bytes))
const wei = fc.bigInt(0n, 10n ** 20n)
const fields = {
  nonce: fc.nat(1_000_000),
  gas: fc.bigInt(21_000n, 60_000_000n),
  value: wei,
  to: fc.option(hex(20), { nil: undefined }),
  data: fc.uint8Array({ maxLength: 80 }).map((bytes) => (bytes.length === 0 ? ('0x' as const) : toHex(bytes))),
}
const accessList = fc.array(fc.record({ address: hex(20), storageKeys: fc.array(hex(32), { maxLength: 2 }) }), {
  maxLength: 2,
})
const authorization = fc.record({
  chainId: fc.constantFrom(0, chainId, 1),
  address: hex(20),
  nonce: fc.nat(300),
  r: hex(32),
  s: hex(32),
  yParity: fc.constantFrom(0, 1),
})
const fees = fc.tuple(wei, wei).map(([tip, more]) => ({ maxFeePerGas: tip + more, maxPriorityFeePerGas: tip }))
const ours = fc.constant(chainId)
const transaction = fc.oneof(
  fc.record({
    type: fc.constant('legacy' as const),
    ...fields,
    gasPrice: wei,
    chainId: fc.constantFrom(chainId, undefined),
  }),
  fc.record({ type: fc.constant('eip2930' as const), ...fields, gasPrice: wei, accessList, chainId: ours }),
  fc
    .tuple(fc.record({ type: fc.constant('eip1559' as const), ...fields, accessList, chainId: ours }), fees)
    .map(([rest, paid]) => ({ ...rest, ...paid })),
  fc
    .tuple(
      fc.record({
        type: fc.constant('eip7702' as const),
        ...fields,
        to: hex(20),
        accessList,
        chainId: ours,
        authorizationList: fc.array(authorization, { minLength: 1, maxLength: 2 }),
      }),
      fees,
    )
    .map(([rest, paid]) => ({ ...rest, ...paid })),
)

const refused = async (raw: Hex) =>
  await readTransaction(raw, BigInt(chainId)).then(
    () => null,
    ({ code, message }) => ({ code, message }),
  )

test('every transaction that a wallet signs is read, with its sender', async () => {
  await fc.assert(
    fc.asyncProperty(transaction, async (drawn) => {
      const raw = await account.signTransaction(drawn as never)
      expect(await readTransaction(raw, BigInt(chainId))).toMatchObject({ raw, sender: account.address })
    }),
    { numRuns: 300 },
  )
})

test('a transaction of another chain is refused, whatever its type and the chain', async () => {
  const other = fc.oneof(fc.nat(100_000), fc.constantFrom(1, chainId - 1, chainId + 1, 900, Number.MAX_SAFE_INTEGER))
  await fc.assert(
    fc.asyncProperty(transaction, other, async (drawn, id) => {
      fc.pre(id !== chainId && id !== 0)
      const raw = await account.signTransaction({ ...drawn, chainId: id } as never)
      expect(await refused(raw)).toEqual({
        code: -32003,
        message: `invalid chain id for signer: have ${id} want ${chainId}`,
      })
    }),
    { numRuns: 100 },
  )
})

const plain = { nonce: 0, gas: 21_000n, to: account.address, chainId }
const ofType = {
  legacy: { ...plain, type: 'legacy', gasPrice: 10n },
  presigned: { ...plain, type: 'legacy', gasPrice: 10n, chainId: undefined },
  eip2930: { ...plain, type: 'eip2930', gasPrice: 10n },
  eip1559: { ...plain, type: 'eip1559', maxFeePerGas: 10n },
  eip7702: {
    ...plain,
    type: 'eip7702',
    maxFeePerGas: 10n,
    authorizationList: [{ chainId, address: account.address, nonce: 0, r: '0x01', s: '0x01', yParity: 0 }],
  },
} as const

test.each(Object.entries(ofType))('a signature that no block may contain is refused: %s', async (_, unsigned) => {
  const { r, s, v, yParity } = parseTransaction(await account.signTransaction(unsigned as never)) as never as {
    r: Hex
    s: Hex
    v: bigint
    yParity: number
  }
  const signed = (more: object) => serializeTransaction(unsigned as never, { r, s, v, yParity, ...more } as never)
  // The other signature of the same sender.
  const twin = numberToHex(order - BigInt(s), { size: 32 })
  const flipped = { s: twin, yParity: 1 - yParity, v: v % 2n === 0n ? v - 1n : v + 1n }
  const isOdd = unsigned.type === 'legacy' && unsigned.chainId !== undefined
  const turned = isOdd ? { ...flipped, v: v === 2n * BigInt(chainId) + 35n ? v + 1n : v - 1n } : flipped
  expect(await refused(signed(turned))).toMatchObject({ code: -32003, message: expect.stringContaining('EIP-2') })
  for (const broken of [{ r: numberToHex(order, { size: 32 }) }, { r: '0x00' }, { s: '0x00' }])
    expect(await refused(signed(broken))).toMatchObject({ code: -32003, message: expect.stringContaining('v, r, s') })
})

/** A transaction with one of its fields replaced, in whatever form. */
async function altered(unsigned: object, at: number, value: Hex): Promise<Hex> {
  const raw = await account.signTransaction(unsigned as never)
  const isLegacy = raw.startsWith('0xf')
  const list = fromRlp(isLegacy ? raw : slice(raw, 1), 'hex') as Hex[]
  const encoded = toRlp(list.with(at, value))
  return isLegacy ? encoded : concat([slice(raw, 0, 1), encoded])
}

test('chain ids, parities and numbers in forms that no wallet writes are refused', async () => {
  const { legacy, eip2930, eip1559, eip7702 } = ofType
  for (const unsigned of [eip2930, eip1559, eip7702])
    for (const id of ['0x', '0x01', '0xffffffffffffffffffff'] as const)
      expect(await refused(await altered(unsigned, 0, id))).toMatchObject({
        code: -32003,
        message: expect.stringContaining('chain id'),
      })
  for (const v of ['0x', '0x01', '0x1d', '0x22'] as const)
    expect(await refused(await altered(legacy, 6, v))).toMatchObject({
      code: -32003,
      message: expect.stringContaining('v, r, s'),
    })
  for (const v of ['0x23', '0x24', '0x26', '0xffffffffffffffffffff'] as const)
    expect(await refused(await altered(legacy, 6, v))).toMatchObject({
      code: -32003,
      message: expect.stringContaining('chain id'),
    })
  for (const parity of ['0x02', '0x1b', '0xff'] as const)
    expect(await refused(await altered(eip1559, 9, parity))).toMatchObject({ code: -32003 })
  // A leading zero gives the same transaction another hash.
  expect(await refused(await altered(eip1559, 3, '0x000a'))).toMatchObject({ code: -32602 })
  expect(await refused(await altered(legacy, 1, '0x000a'))).toMatchObject({ code: -32602 })
  for (const raw of ['0xc0', '0x02c0', '0x02', '0xf8', `0x02${'ff'.repeat(40)}`] as const)
    expect(await refused(raw)).toMatchObject({ code: -32602 })
})

test('a list whose entries have another form is refused', async () => {
  const { eip2930 } = ofType
  const raw = await account.signTransaction(eip2930 as never)
  const items = fromRlp(slice(raw, 1), 'hex') as unknown[]
  const address = account.address.toLowerCase()
  for (const list of [[[address, ['0x11']]], [['0x11', []]], [[address]], [[address, [], []]], [address], address])
    expect(await refused(concat(['0x01', toRlp(items.with(7, list) as Hex[])]))).toMatchObject({ code: -32602 })
})

test('a tip above the whole fee is refused, and a fee beyond 256 bits', async () => {
  const { eip1559, eip7702 } = ofType
  for (const unsigned of [eip1559, eip7702]) {
    expect(await refused(await altered(unsigned, 2, '0x0b'))).toMatchObject({
      code: -32003,
      message: expect.stringContaining('max priority fee per gas higher than max fee per gas'),
    })
    expect(await refused(await altered(unsigned, 3, `0x01${'00'.repeat(32)}`))).toMatchObject({ code: -32003 })
  }
})
