import { type Hex, pad, trim } from 'viem'

/** An integer in the form that RLP encodes: bytes without leading zeros, and no bytes for zero. */
export function rlpInteger(quantity: Hex): Hex {
  return quantity === '0x0' ? '0x' : trim(pad(quantity, { size: 32 }))
}
