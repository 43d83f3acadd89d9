import { numberToHex, type TransactionSerializable } from 'viem'
import type { WireObject } from '../blocks/whole-block.ts'
import { parseSigned } from './parse-signed.ts'
import type { Signed } from './pending-pool.ts'

const types = { legacy: '0x0', eip2930: '0x1', eip1559: '0x2', eip7702: '0x4' } as const

/** A transaction that waits for a block, as nodes return it. */
export function waitingTransaction({ raw, hash, from }: Signed): WireObject {
  const { signature, parity, chainId, nonce, authorizations, fields } = parseSigned(raw)
  const parsed = fields()
  const { type, gas = 0n, value = 0n, to, data = '0x' } = parsed
  const isLegacy = type === 'legacy'
  return {
    type: types[type as keyof typeof types],
    ...(chainId !== null && { chainId: numberToHex(chainId) }),
    nonce: numberToHex(nonce),
    gas: numberToHex(gas),
    ...feesOf(parsed),
    to: to ?? null,
    value: numberToHex(value),
    input: data,
    ...(!isLegacy && { accessList: parsed.accessList ?? [] }),
    ...(type === 'eip7702' && { authorizationList: authorizations }),
    r: numberToHex(signature.r),
    s: numberToHex(signature.s),
    v: numberToHex(signature.v),
    ...(!isLegacy && { yParity: numberToHex(parity) }),
    hash,
    from,
    blockHash: null,
    blockNumber: null,
    transactionIndex: null,
  }
}

/** The gas price of a transaction with two fees is the most that it pays, until a block decides it. */
function feesOf({ gasPrice, maxFeePerGas = 0n, maxPriorityFeePerGas = 0n }: TransactionSerializable): WireObject {
  if (gasPrice !== undefined) return { gasPrice: numberToHex(gasPrice) }
  return {
    gasPrice: numberToHex(maxFeePerGas),
    maxFeePerGas: numberToHex(maxFeePerGas),
    maxPriorityFeePerGas: numberToHex(maxPriorityFeePerGas),
  }
}
