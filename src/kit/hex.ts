/** Texts as JSON-RPC has them: 0x and hex digits. */
type Hex = `0x${string}`

/** A number as a quantity. */
export function quantityOf(value: number | bigint): Hex {
  return `0x${value.toString(16)}`
}

/** Whether a value is a quantity of 64 bits at most. */
export function isQuantity(value: unknown): value is Hex {
  return typeof value === 'string' && /^0x[0-9a-f]{1,16}$/i.test(value)
}

/** Whether a value has the form of a hash: 32 bytes. */
export function isHash(value: unknown): value is Hex {
  return typeof value === 'string' && /^0x[0-9a-f]{64}$/i.test(value)
}

/** The bytes of a hex text. */
export function bytesOf(hex: string): Buffer {
  return Buffer.from(hex.slice(2), 'hex')
}

export function hexOf(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes).toString('hex')}`
}
