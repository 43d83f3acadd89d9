/** Kinds of HTTP/2 frames by their numbers. */
export const kinds = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  push: 5,
  ping: 6,
  goaway: 7,
  window: 8,
  continuation: 9,
} as const

export const ack = 1
export const endStream = 1
export const endHeaders = 4
export const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')

/** A frame whose stated length may be wrong. */
export function frame(
  kind: number,
  flags: number,
  stream: number,
  payload: Uint8Array = Buffer.alloc(0),
  claims = payload.length,
): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(claims & 0xffffff, 0, 3)
  head.writeUInt8(kind, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream >>> 0, 5)
  return Buffer.concat([head, payload])
}

/** The complete frames at the start of the bytes. */
export function framesIn(received: Buffer): { kind: number; flags: number; payload: Buffer }[] {
  const found: ReturnType<typeof framesIn> = []
  for (let rest = received; rest.length >= 9; ) {
    const size = 9 + rest.readUIntBE(0, 3)
    if (rest.length < size) break
    found.push({ kind: rest.readUInt8(3), flags: rest.readUInt8(4), payload: rest.subarray(9, size) })
    rest = rest.subarray(size)
  }
  return found
}

/** Header fields in HPACK without a table: each is literal, with its name. */
export function headerBlock(fields: Record<string, string>): Buffer {
  const text = (value: string) => {
    const bytes = Buffer.from(value)
    return Buffer.concat([integer(bytes.length), bytes])
  }
  return Buffer.concat(
    Object.entries(fields).map(([name, value]) => Buffer.concat([Buffer.from([0]), text(name), text(value)])),
  )
}

/** A number of HPACK with a prefix of 7 bits. */
function integer(value: number): Buffer {
  if (value < 127) return Buffer.from([value])
  const bytes = [127]
  for (let rest = value - 127; ; rest = Math.floor(rest / 128)) {
    bytes.push(rest >= 128 ? (rest % 128) | 128 : rest)
    if (rest < 128) return Buffer.from(bytes)
  }
}

export function uint32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value >>> 0, index * 4)
  return bytes
}
