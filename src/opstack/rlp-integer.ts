import { type Hex, pad, trim } from 'viem'

/** RLP has integers as bytes without leading zeros; zero has none at all. */
export function rlpInteger(quantity: Hex): Hex {
  return quantity === '0x0' ? '0x' : trim(pad(quantity, { size: 32 }))
}
