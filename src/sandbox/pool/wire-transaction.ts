import { type AccessList, type Hex, numberToHex, parseTransaction, type TransactionSerializable } from 'viem'
import { lower } from '../../opstack/messages.ts'
import type { WireObject } from '../blocks/whole-block.ts'
import type { Signed } from './pending-pool.ts'

const types = { legacy: '0x0', eip2930: '0x1', eip1559: '0x2', eip7702: '0x4' } as const

type Parsed = TransactionSerializable & { r?: Hex; s?: Hex; v?: bigint; yParity?: number }

/** A transaction that waits for a block, as nodes return it. */
export function waitingTransaction({ raw, hash, from }: Signed): WireObject {
  const parsed = parseTransaction(raw) as Parsed
  const { type, nonce = 0, gas = 0n, value = 0n, to, data = '0x', r = '0x0', s = '0x0', yParity = 0 } = parsed
  const isLegacy = type === 'legacy'
  const parity = numberToHex(yParity)
  return {
    type: types[type as keyof typeof types],
    ...(parsed.chainId !== undefined && { chainId: numberToHex(parsed.chainId) }),
    nonce: numberToHex(nonce),
    gas: numberToHex(gas),
    ...feesOf(parsed),
    to: to ? lower(to) : null,
    value: numberToHex(value),
    input: data,
    ...(!isLegacy && { accessList: listOf(parsed.accessList) }),
    ...(parsed.authorizationList && { authorizationList: authorizationsOf(parsed.authorizationList) }),
    r: quantity(r),
    s: quantity(s),
    v: isLegacy ? numberToHex(parsed.v ?? 0n) : parity,
    ...(!isLegacy && { yParity: parity }),
    hash,
    from,
    blockHash: null,
    blockNumber: null,
    transactionIndex: null,
  }
}

/** The gas price of a transaction with two fees is the most that it pays, until a block decides it. */
function feesOf({ gasPrice, maxFeePerGas = 0n, maxPriorityFeePerGas = 0n }: Parsed): WireObject {
  if (gasPrice !== undefined) return { gasPrice: numberToHex(gasPrice) }
  return {
    gasPrice: numberToHex(maxFeePerGas),
    maxFeePerGas: numberToHex(maxFeePerGas),
    maxPriorityFeePerGas: numberToHex(maxPriorityFeePerGas),
  }
}

function listOf(list: AccessList = []): WireObject[] {
  return list.map(({ address, storageKeys }) => ({ address: lower(address), storageKeys }))
}

function authorizationsOf(list: NonNullable<TransactionSerializable['authorizationList']>): WireObject[] {
  return list.map(({ chainId, address, nonce, r, s, yParity = 0 }) => ({
    chainId: numberToHex(chainId),
    address: lower(address as Hex),
    nonce: numberToHex(nonce),
    yParity: numberToHex(yParity),
    r: quantity(r),
    s: quantity(s),
  }))
}

function quantity(value: Hex): Hex {
  return numberToHex(BigInt(value))
}
