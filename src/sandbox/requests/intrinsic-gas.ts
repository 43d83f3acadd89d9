import { type Hex, hexToBytes } from 'viem'

const perTransaction = 21_000n
const perCreation = 32_000n
const perWordOfInitCode = 2n
const perAccessedAddress = 2_400n
const perAccessedSlot = 1_900n
const perAuthorization = 25_000n
/** A zero byte of data counts as one token, any other byte as four. */
const perToken = { intrinsic: 4n, floor: 10n }

/** The fields of a transaction that decide its intrinsic gas. Without `to` it creates a contract. */
type Shape = {
  to?: Hex | null | undefined
  data?: Hex | undefined
  accessList?: readonly { storageKeys: readonly Hex[] }[] | undefined
  authorizationList?: readonly unknown[] | undefined
}

/** The gas that a transaction needs before it runs, with the floor of EIP-7623 for its data. */
export function intrinsicGas({ to, data = '0x', accessList = [], authorizationList = [] }: Shape): bigint {
  const tokens = tokensOf(data)
  const words = BigInt(Math.ceil((data.length - 2) / 64))
  const slots = accessList.reduce((count, { storageKeys }) => count + storageKeys.length, 0)
  const intrinsic =
    perTransaction +
    perToken.intrinsic * tokens +
    (to ? 0n : perCreation + perWordOfInitCode * words) +
    perAccessedAddress * BigInt(accessList.length) +
    perAccessedSlot * BigInt(slots) +
    perAuthorization * BigInt(authorizationList.length)
  const floor = perTransaction + perToken.floor * tokens
  return intrinsic > floor ? intrinsic : floor
}

function tokensOf(data: Hex): bigint {
  let tokens = 0
  for (const byte of hexToBytes(data)) tokens += byte === 0 ? 1 : 4
  return BigInt(tokens)
}
