import { setTimeout } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { grpcClient } from '../clients/grpc.ts'
import { framed } from '../clients/grpc-frame.ts'
import { openTarget, type Tally, type Target } from './gateway.ts'
import { ack, endHeaders, endStream, frame, framesIn, headerBlock, kinds, preface, uint32 } from './http2-frames.ts'
import { openRaw, type RawSocket } from './raw-socket.ts'
import { samplesOf } from './samples.ts'

let target: Target
beforeAll(async () => {
  target = await openTarget()
})
afterAll(async () => await target[Symbol.asyncDispose]())

const path = '/trident.v1.ChainService/ChainId'
const fields = { ':method': 'POST', ':scheme': 'http', ':path': path, ':authority': 'x', te: 'trailers' }
const block = headerBlock({ ...fields, 'content-type': 'application/grpc' })
const settings = (...pairs: [number, number][]) =>
  frame(
    kinds.settings,
    0,
    0,
    Buffer.concat(pairs.map(([id, value]) => Buffer.concat([Buffer.from([id >> 8, id & 255]), uint32(value)]))),
  )
const call = (stream: number) =>
  Buffer.concat([
    frame(kinds.headers, endHeaders, stream, block),
    frame(kinds.data, endStream, stream, framed(Buffer.alloc(0))),
  ])
const hello = Buffer.concat([preface, settings()])
const repeat = (count: number, make: (index: number) => Uint8Array) =>
  Buffer.concat(Array.from({ length: count }, (_, index) => make(index)))
const odd = (index: number) => 2 * index + 1

/** Connections that no client would make, by their error. */
const abuses: [string, () => Buffer][] = [
  ['another protocol', () => Buffer.from('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')],
  ['half a preface', () => preface.subarray(0, 10)],
  ['no settings', () => Buffer.concat([preface, call(1)])],
  ['settings without end', () => Buffer.concat([hello, repeat(20_000, () => settings([3, 100]))])],
  ['pings without end', () => Buffer.concat([hello, repeat(20_000, () => frame(kinds.ping, 0, 0, Buffer.alloc(8)))])],
  [
    'calls that are reset at once',
    () =>
      Buffer.concat([
        hello,
        repeat(10_000, (index) =>
          Buffer.concat([
            frame(kinds.headers, endHeaders, odd(index), block),
            frame(kinds.reset, 0, odd(index), uint32(8)),
          ]),
        ),
      ]),
  ],
  [
    'calls that are never read',
    () => Buffer.concat([preface, settings([4, 0]), repeat(2_000, (index) => call(odd(index)))]),
  ],
  [
    'headers that never end',
    () =>
      Buffer.concat([
        hello,
        frame(kinds.headers, 0, 1, block),
        repeat(5_000, () => frame(kinds.continuation, 0, 1, headerBlock({ x: 'y'.repeat(200) }))),
      ]),
  ],
  [
    'empty continuations',
    () =>
      Buffer.concat([hello, frame(kinds.headers, 0, 1, block), repeat(50_000, () => frame(kinds.continuation, 0, 1))]),
  ],
  [
    'a header of 1 MiB',
    () =>
      Buffer.concat([
        hello,
        repeat(70, (index) =>
          frame(index === 0 ? kinds.headers : kinds.continuation, 0, 1, headerBlock({ x: 'y'.repeat(15_000) })),
        ),
      ]),
  ],
  [
    'empty data without end',
    () =>
      Buffer.concat([hello, frame(kinds.headers, endHeaders, 1, block), repeat(50_000, () => frame(kinds.data, 0, 1))]),
  ],
  [
    'a window beyond its bound',
    () =>
      Buffer.concat([
        hello,
        frame(kinds.window, 0, 0, uint32(0x7fffffff)),
        frame(kinds.window, 0, 0, uint32(0x7fffffff)),
      ]),
  ],
  [
    'windows of nothing',
    () => Buffer.concat([hello, call(1), repeat(1_000, () => frame(kinds.window, 0, 1, uint32(0)))]),
  ],
  ['a frame that is too long', () => Buffer.concat([hello, frame(kinds.data, 0, 1, Buffer.alloc(100), 0xffffff)])],
  [
    'data on no stream',
    () => Buffer.concat([hello, frame(kinds.data, 0, 0, Buffer.alloc(10)), frame(kinds.data, 0, 99, Buffer.alloc(10))]),
  ],
  ['a stream of the server', () => Buffer.concat([hello, frame(kinds.headers, endHeaders | endStream, 2, block)])],
  [
    'a promise of a client',
    () => Buffer.concat([hello, frame(kinds.push, endHeaders, 1, Buffer.concat([uint32(2), block]))]),
  ],
  [
    'a stream that depends on itself',
    () => Buffer.concat([hello, frame(kinds.priority, 0, 1, Buffer.concat([uint32(1), Buffer.from([0])])), call(1)]),
  ],
  ['settings out of range', () => Buffer.concat([preface, settings([2, 7], [4, 0xffffffff], [5, 1], [1, 0xffffffff])])],
  [
    'a table of headers that is changed',
    () =>
      Buffer.concat([hello, frame(kinds.headers, endHeaders, 1, Buffer.from([0x3f, 0xff, 0xff, 0xff, 0xff, 0x0f]))]),
  ],
  [
    'a header of a table that is empty',
    () => Buffer.concat([hello, frame(kinds.headers, endHeaders, 1, Buffer.from([0xff, 0xff, 0xff, 0x7f]))]),
  ],
  ['a goodbye amid calls', () => Buffer.concat([hello, call(1), frame(kinds.goaway, 0, 0, uint32(0, 0)), call(3)])],
  [
    'connection headers',
    () =>
      Buffer.concat([
        hello,
        frame(kinds.headers, endHeaders | endStream, 1, headerBlock({ ...fields, connection: 'close', te: 'gzip' })),
      ]),
  ],
  [
    'no path',
    () => Buffer.concat([hello, frame(kinds.headers, endHeaders | endStream, 1, headerBlock({ ':method': 'POST' }))]),
  ],
]

test('connections that no client would make are answered or cut, and others are served meanwhile', async () => {
  await target.attack('HTTP/2 connections', async (tally) => {
    for (const [name, bytes] of abuses) {
      const raw = await openRaw(`http://${target.gateway.urls.grpc}`)
      raw.socket.write(bytes())
      await asksMeanwhile(name)
      await count(tally, raw, name)
    }
  })
})

const anyFrame = fc
  .record({
    kind: fc.nat({ max: 12 }),
    flags: fc.nat({ max: 255 }),
    stream: fc.oneof(fc.nat({ max: 9 }), fc.nat({ max: 0x7fffffff })),
    payload: fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.constant(block),
      fc.constant(uint32(0)),
      fc.constant(Buffer.alloc(8)),
    ),
  })
  .map(({ kind, flags, stream, payload }) => frame(kind, flags, stream, payload))

/** Valid frames, so that the connection does not end with the first one. */
const lawful = fc.constantFrom(
  settings(),
  call(3),
  frame(kinds.data, endStream, 1),
  frame(kinds.priority, 0, 5, Buffer.concat([uint32(1), Buffer.from([0])])),
  frame(kinds.reset, 0, 1, uint32(8)),
  frame(kinds.ping, 0, 0, Buffer.alloc(8)),
  frame(kinds.window, 0, 0, uint32(1)),
)
const frames = fc.array(fc.oneof({ weight: 4, arbitrary: lawful }, anyFrame), { minLength: 1, maxLength: 12 })

test('frames of any kind in any order are answered or cut', async () => {
  await target.attack('HTTP/2 frames', async (tally) => {
    const queue = samplesOf(frames, 2_000).values()
    const caller = async () => {
      for (const sent of queue) {
        const raw = await openRaw(`http://${target.gateway.urls.grpc}`)
        raw.socket.write(Buffer.concat([hello, call(1), ...sent]))
        await count(tally, raw, Buffer.concat(sent).toString('hex'))
      }
    }
    await Promise.all(Array.from({ length: 8 }, caller))
  })
})

const last = Buffer.from('the last')

/** Ends with a ping: a server that has read everything returns it, and one that refuses sends GOAWAY or disconnects. */
async function count(tally: Tally, raw: RawSocket, sent: string): Promise<void> {
  raw.socket.write(frame(kinds.ping, 0, 0, last))
  const patience = AbortSignal.timeout(20_000)
  while (cameOf(raw) === 'undeclared' && !patience.aborted) await setTimeout(5)
  const came = cameOf(raw)
  tally.sent += 1
  if (came === 'undeclared') tally.undeclared.push(`no answer to ${sent}`)
  else tally[came] += 1
  raw.socket.resetAndDestroy()
}

function cameOf({ socket, received }: RawSocket): 'answered' | 'refused' | 'undeclared' {
  const frames = framesIn(received())
  const isEcho = ({ kind, flags, payload }: (typeof frames)[number]) =>
    kind === kinds.ping && flags === ack && payload.equals(last)
  if (frames.some(isEcho)) return 'answered'
  return socket.destroyed || frames.some(({ kind }) => kind === kinds.goaway) ? 'refused' : 'undeclared'
}

async function asksMeanwhile(abuse: string): Promise<void> {
  const client = grpcClient(target.gateway.urls.grpc)
  expect(await client.call('chain.chainId', {}), abuse).toMatchObject({ ok: true })
  client.close()
}
