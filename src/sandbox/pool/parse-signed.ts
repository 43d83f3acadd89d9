import {
  concat,
  fromRlp,
  type Hex,
  keccak256,
  parseTransaction,
  size,
  slice,
  type TransactionSerializable,
  toRlp,
} from 'viem'
import { quantityOf } from '../../kit/hex.ts'

/** An authorisation as its transaction has it. One that is invalid is skipped when the transaction is mined (EIP-7702). */
type SignedAuthorization = Record<'chainId' | 'address' | 'nonce' | 'yParity' | 'r' | 's', Hex>

/** A signed transaction of a known type. */
export type ParsedTransaction = {
  /** Null where a transaction of the oldest type names no chain. */
  chainId: bigint | null
  nonce: bigint
  signature: { r: bigint; s: bigint; v: bigint }
  /** 0 or 1 where the signature is valid. */
  parity: bigint
  /** What the sender has signed. */
  signedHash: Hex
  authorizations: SignedAuthorization[]
  /**
   * Its fields without the signature, and with others in place of its authorisations, as many. Throws where its chain or
   * its fees cannot be.
   */
  fields: () => TransactionSerializable
}

type Item = Hex | readonly Item[]

/** The places of the items that are no integers; the three of the signature are the last. */
type Shape = { prefix: Hex; items: number; to: number; accessList?: number; authorizations?: number }

const legacy: Shape = { prefix: '0x', items: 9, to: 3 }
const typed: Readonly<Record<string, Shape>> = {
  '01': { prefix: '0x01', items: 11, to: 4, accessList: 7 },
  '02': { prefix: '0x02', items: 12, to: 5, accessList: 8 },
  '04': { prefix: '0x04', items: 13, to: 5, accessList: 8, authorizations: 9 },
}

/** The shape of a raw transaction in lower case; undefined where its type is not one that these chains have. */
function shapeOf(raw: Hex): Shape | undefined {
  return Number.parseInt(raw.slice(2, 4), 16) >= 0xc0 ? legacy : typed[raw.slice(2, 4)]
}

/** Whether these chains have transactions of the type with which a raw one begins. */
export function isKnownType(raw: Hex): boolean {
  return shapeOf(raw) !== undefined
}

/**
 * Decodes a raw transaction in lower case. Throws where it is not encoded as its type demands; one that could also be
 * encoded otherwise would have another hash in the engine than for its sender.
 */
export function parseSigned(raw: Hex): ParsedTransaction {
  const shape = shapeOf(raw)
  if (shape === undefined) throw new Error('unknown type')
  const { prefix, to } = shape
  const payload = slice(raw, size(prefix))
  const items = listed(fromRlp(payload, 'hex'))
  if (items.length !== shape.items || toRlp(items as Hex[]) !== payload) throw new Error('not canonical')
  demandForms(items, shape)
  const isLegacy = prefix === '0x'
  const [v = 0n, r = 0n, s = 0n] = items.slice(-3).map(integer)
  const chainId = isLegacy ? chainOf(v) : integer(items[0])
  const unsigned = items.slice(0, -3)
  const chainItems: Hex[] = isLegacy && chainId !== null ? [hexOf(chainId), '0x', '0x'] : []
  const authorizations = shape.authorizations === undefined ? [] : listed(items[shape.authorizations])
  return {
    chainId,
    nonce: integer(items[isLegacy ? 0 : 1]),
    signature: { r, s, v },
    parity: !isLegacy ? v : chainId === null ? v - 27n : (v - 35n) % 2n,
    signedHash: keccak256(concat([prefix, toRlp([...unsigned, ...chainItems] as Hex[])])),
    authorizations: authorizations.map(authorizationOf),
    fields: () => {
      const { authorizations: place } = shape
      // The library reads only valid ones.
      const read =
        place === undefined
          ? unsigned
          : unsigned.with(
              place,
              authorizations.map(() => harmless),
            )
      const parsed = parseTransaction(concat([prefix, toRlp(read as Hex[])])) as TransactionSerializable
      return { ...parsed, data: items[to + 2] as Hex }
    },
  }
}

const harmless: Item = ['0x', `0x${'00'.repeat(20)}`, '0x', '0x', '0x01', '0x01']

function chainOf(v: bigint): bigint | null {
  return v < 35n ? null : (v - 35n) / 2n
}

function demandForms(items: readonly Item[], { to, accessList, authorizations }: Shape): void {
  for (const [at, item] of items.entries()) {
    if (at === to) bytes(item, [0, 20])
    else if (at === to + 2) bytes(item)
    else if (at === accessList) for (const entry of listed(item)) demandEntry(entry)
    else if (at !== authorizations) integer(item)
  }
}

function demandEntry(entry: Item): void {
  const [address, keys, ...more] = listed(entry)
  if (more.length > 0) throw new Error('not an entry of an access list')
  bytes(address, [20])
  for (const key of listed(keys)) bytes(key, [32])
}

function authorizationOf(item: Item): SignedAuthorization {
  const tuple = listed(item)
  const [chainId, address, nonce, yParity, r, s] = tuple
  const fits = [integer(chainId), integer(r), integer(s)].every((value) => value < 2n ** 256n)
  if (tuple.length !== 6 || !fits || integer(nonce) >= 2n ** 64n || integer(yParity) > 255n)
    throw new Error('not an authorisation')
  return {
    chainId: quantityOf(integer(chainId)),
    address: bytes(address, [20]),
    nonce: quantityOf(integer(nonce)),
    yParity: quantityOf(integer(yParity)),
    r: quantityOf(integer(r)),
    s: quantityOf(integer(s)),
  }
}

function listed(item: unknown): readonly Item[] {
  if (!Array.isArray(item)) throw new Error('not a list')
  return item as Item[]
}

function bytes(item: Item | undefined, sizes?: readonly number[]): Hex {
  if (typeof item !== 'string') throw new Error('not bytes')
  if (sizes !== undefined && !sizes.includes(size(item))) throw new Error('bytes of another size')
  return item
}

/** An integer without leading zeros. */
function integer(item: Item | undefined): bigint {
  const value = bytes(item)
  if (value.startsWith('0x00')) throw new Error('not an integer')
  return value === '0x' ? 0n : BigInt(value)
}

function hexOf(value: bigint): Hex {
  const digits = value.toString(16)
  return value === 0n ? '0x' : `0x${digits.length % 2 === 0 ? '' : '0'}${digits}`
}
