import { randomBytes } from 'node:crypto'
import { inspect, isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { readFrames } from './frame-reader.ts'
import { openTarget, type Target } from './gateway.ts'
import { openRaw, type RawSocket } from './raw-socket.ts'
import { samplesOf, sharesOf } from './samples.ts'

let target: Target
beforeAll(async () => {
  target = await openTarget()
})
afterAll(async () => await target[Symbol.asyncDispose]())

const ask = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}')

/** A frame whose stated length may be wrong. */
function frame(
  opcode: number,
  payload: Buffer,
  { fin = true, rsv = 0, masked = true, claims = payload.length } = {},
): Buffer {
  const first = (fin ? 0x80 : 0) | (rsv << 4) | opcode
  const bit = masked ? 0x80 : 0
  const head = claims < 126 ? Buffer.from([first, bit | claims]) : Buffer.alloc(10)
  if (claims >= 126) {
    head.set([first, bit | 127])
    head.writeBigUInt64BE(BigInt(claims), 2)
  }
  // A mask of zeros leaves the payload as it is.
  return Buffer.concat([head, masked ? Buffer.alloc(4) : Buffer.alloc(0), payload])
}

const payload = fc.oneof(
  fc.constantFrom(
    ask,
    Buffer.alloc(0),
    Buffer.alloc(126),
    Buffer.alloc(2_000, '['),
    Buffer.from([3, 0xe8]),
    Buffer.from([0, 0]),
  ),
  fc.constantFrom(
    Buffer.from([0x03]),
    Buffer.from([0xff, 0xff, 0xff]),
    Buffer.from([3, 0xee, 0xff]),
    Buffer.from([3, 0xed]),
  ),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
)
const frames = fc.array(
  fc
    .record({
      opcode: fc.oneof({ weight: 3, arbitrary: fc.constantFrom(1, 2) }, { weight: 2, arbitrary: fc.nat({ max: 15 }) }),
      payload,
      fin: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
      rsv: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat({ max: 7 }) }),
      masked: fc.oneof({ weight: 8, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
      lie: fc.oneof(
        { weight: 8, arbitrary: fc.constant(null) },
        { weight: 1, arbitrary: fc.oneof(fc.nat({ max: 300 }), fc.maxSafeNat()) },
      ),
    })
    .map(({ opcode, payload: bytes, lie, ...how }) =>
      frame(opcode, bytes, { ...how, ...(lie === null ? {} : { claims: lie }) }),
    ),
  { minLength: 1, maxLength: 6 },
)

test('frames that break the protocol close their socket with the code for it, all other messages are answered', async () => {
  await target.attack('WebSocket frames', async (tally) => {
    const queue = samplesOf(frames, 2_500).values()
    const caller = async () => {
      for (const sent of queue) {
        const bytes = Buffer.concat([...sent, frame(1, ask)])
        const { messages, code } = readFrames(bytes)
        const chainIds = messages.filter((message) => message.equals(ask)).length
        const due = code === undefined ? { answers: messages.length, chainIds } : { code }
        const raw = await upgraded()
        raw.socket.write(bytes)
        const came = () => (code === undefined ? answersIn(raw) : { code: codeIn(raw) })
        const isDue = () => isDeepStrictEqual(came(), due)
        await until(isDue, 'what is due', 20_000).catch(() => undefined)
        raw.socket.end()
        await raw.closed(60_000)
        tally.sent += 1
        if (code === undefined) tally.answered += 1
        else tally.refused += 1
        if (!isDue() || (code === undefined && codeIn(raw) !== undefined))
          tally.undeclared.push(
            `${inspect(came())} and ${codeIn(raw)} in place of ${inspect(due)} to ${bytes.toString('hex')}`,
          )
      }
    }
    await Promise.all(Array.from({ length: 8 }, caller))
  })
})

/** How many messages were received, and how many of them contain the chain's id. */
function answersIn(raw: RawSocket): { answers: number; chainIds: number } {
  const messages = framesIn(raw.received()).filter(({ opcode }) => opcode === 1)
  return { answers: messages.length, chainIds: messages.filter(({ payload }) => payload.includes('0x14a34')).length }
}

/** The code of the close frame, null without one; undefined without a close frame. */
function codeIn(raw: RawSocket): number | null | undefined {
  const goodbye = framesIn(raw.received()).find(({ opcode }) => opcode === 8)
  return goodbye === undefined ? undefined : goodbye.payload.length < 2 ? null : goodbye.payload.readUInt16BE()
}

const floods: [string, () => Buffer][] = [
  ['pings', () => frame(9, Buffer.alloc(125))],
  ['pongs', () => frame(10, Buffer.alloc(0))],
  ['fragments without end', () => frame(0, Buffer.from('x'), { fin: false })],
  ['questions', () => frame(1, ask)],
]

test('floods of frames whose sender reads nothing neither fill the memory nor keep others waiting', async () => {
  await target.attack('WebSocket floods', async (tally) => {
    for (const [name, one] of floods) {
      const raw = await upgraded()
      raw.socket.pause()
      if (name === 'fragments without end') raw.socket.write(frame(1, Buffer.from('x'), { fin: false }))
      const many = Buffer.concat(Array.from({ length: 1_000 }, one))
      for (let sent = 0; sent < sharesOf(200) && raw.socket.writableLength < 2 ** 24; sent += 1) {
        raw.socket.write(many)
        tally.sent += 1_000
        await new Promise(setImmediate)
      }
      const other = await upgraded()
      other.socket.write(frame(1, ask))
      await expect.poll(() => String(other.received()), { timeout: 60_000 }).toContain('0x14a34')
      tally.answered += 1
      other.socket.destroy()
      raw.socket.resetAndDestroy()
    }
  })
})

test('thousands of sockets come, subscribe and are torn away', async () => {
  await target.attack('WebSocket opens and resets', async (tally) => {
    const rounds = Array(sharesOf(1_000)).keys()
    const subscribe = frame(1, Buffer.from('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}'))
    const caller = async () => {
      for (const round of rounds) {
        const raw = await upgraded()
        raw.socket.write(subscribe)
        if (round % 2 === 0)
          await expect.poll(() => String(raw.received()), { interval: 5, timeout: 60_000 }).toContain('"result"')
        raw.socket.resetAndDestroy()
        tally.sent += 1
        tally.answered += 1
      }
    }
    await Promise.all(Array.from({ length: 4 }, caller))
  })
})

/**
 * A bare connection after the WebSocket handshake; only a few at a time, because an address may hold a limited number.
 */
async function upgraded(): Promise<RawSocket> {
  for (;;) {
    const raw = await openRaw(target.gateway.urls.rpc)
    const key = randomBytes(16).toString('base64')
    raw.socket.write(
      `GET / HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: ${key}\r\n\r\n`,
    )
    await expect.poll(() => String(raw.received()), { interval: 2, timeout: 60_000 }).toMatch(/\r\n\r\n/)
    if (String(raw.received()).startsWith('HTTP/1.1 101')) return raw
    raw.socket.destroy() // the sockets that were cut are not released yet
  }
}

/** The frames after the handshake; those of a server are not masked. */
function framesIn(received: Buffer): { opcode: number; payload: Buffer }[] {
  let rest = received.subarray(received.indexOf('\r\n\r\n') + 4)
  const found: { opcode: number; payload: Buffer }[] = []
  while (rest.length >= 2) {
    const short = rest.readUInt8(1) & 0x7f
    const [start, length] =
      short === 126 ? [4, rest.readUInt16BE(2)] : short === 127 ? [10, Number(rest.readBigUInt64BE(2))] : [2, short]
    found.push({ opcode: rest.readUInt8(0) & 0xf, payload: rest.subarray(start, start + length) })
    rest = rest.subarray(start + length)
  }
  return found
}
