import { once } from 'node:events'
import { type ClientHttp2Session, connect } from 'node:http2'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { operations } from '../../src/contract/index.ts'
import { grpcClient } from '../clients/grpc.ts'
import { framed } from '../clients/grpc-frame.ts'
import { loadMessages } from '../clients/messages.ts'
import { newAccount } from '../world.ts'
import { openTarget, type Target } from './gateway.ts'
import { type Came, rawCall } from './grpc-call.ts'
import { endsToken, samplesOf } from './samples.ts'

let target: Target
let token: string
let session: ClientHttp2Session
beforeAll(async () => {
  target = await openTarget()
  const { grpc } = target.gateway.urls
  const client = grpcClient(grpc)
  token = (await newAccount(client)).token
  client.close()
  session = connect(`http://${grpc}`)
  await once(session, 'connect')
})
afterAll(async () => {
  session.destroy()
  await target[Symbol.asyncDispose]()
})

const messages = loadMessages()
/** The example of every method; a keystore at full scrypt cost would test scrypt only, and the end of the token only that. */
const examples = operations()
  .filter(([id]) => id !== 'trading.exportWallet' && !endsToken(id))
  .map(([id, { kind, example }]) => {
    const { parent, name } = messages.methodOf(id)
    const message = Buffer.from(messages.encode(id, example.input))
    return { path: `/${parent.typeName}/${name}`, message, goesOn: kind === 'stream' }
  })
const valid = fc.constantFrom(...examples)
const change = fc.record({ at: fc.nat(), remove: fc.nat({ max: 8 }), put: fc.uint8Array({ maxLength: 8 }) })

/** A message that lost bytes, got others, or belongs to another method. */
const mutated = fc
  .tuple(valid, valid, fc.array(change, { maxLength: 4 }))
  .map(([{ path, goesOn }, { message }, changes]) => {
    const bytes = changes.reduce((text, { at, remove, put }) => {
      const place = at % (text.length + 1)
      return Buffer.concat([text.subarray(0, place), put, text.subarray(place + remove)])
    }, message)
    return { path, goesOn, bytes }
  })

test('mutated messages end with a status of the table', async () => {
  await target.attack('gRPC messages', async (tally) => {
    await each(samplesOf(mutated, 5_000), tally, async ({ path, goesOn, bytes }) => {
      const headers = { ':path': path, authorization: `Bearer ${token}`, 'grpc-timeout': '10S' }
      return await rawCall(session, headers, framed(bytes), { goesOn })
    })
    expect(session.destroyed).toBe(false) // a broken call does not affect the others
  })
})

const tooLong = [framed(Buffer.alloc(1_048_577)), framed(gzipSync(Buffer.alloc(50_000_000)), 1)]

/** Headers with false values, about half of them at a time. */
const lies: fc.Arbitrary<Record<string, string>> = fc.record(
  {
    'grpc-encoding': fc.constantFrom('gzip', 'deflate', 'identity', 'snappy', ''),
    'grpc-accept-encoding': fc.constantFrom('gzip', 'x'.repeat(200)),
    'grpc-timeout': fc.constantFrom('1S', '0n', '99999999H', '-1S', '1', 'S', '1e3m'),
    'content-type': fc.constantFrom('application/grpc+json', 'application/grpc-web', 'text/plain', 'application/json'),
    authorization: fc.constantFrom('Bearer', 'Bearer x.y.z', 'Basic eDp5', `Bearer ${'x'.repeat(9_000)}`),
    'x-junk-bin': fc.constantFrom('!!!', '=', 'AAAA', '\u00ff'),
    'x-request-id': fc.constantFrom('', 'x'.repeat(200), '\u00ff'),
    ':method': fc.constantFrom('GET', 'PUT', 'POST'),
    ':path': fc.constantFrom('/', '//', '/trident.v1.TradingService/', '/a/b', `/${'x'.repeat(3_000)}`, '*'),
  },
  { requiredKeys: [] },
)

/** Wrong length prefixes, no message, one or many, and compression that is announced or not. */
const envelopes = valid.chain(({ path, message, goesOn }) =>
  fc.record({
    path: fc.constant(path),
    goesOn: fc.constant(goesOn),
    ends: fc.boolean(),
    bytes: fc.oneof(
      fc.constantFrom(Buffer.alloc(0), Buffer.from([0]), framed(message).subarray(0, -1), framed(gzipSync(message), 1)),
      fc.constant(Buffer.concat([framed(message), framed(message)])),
      fc.constant(Buffer.concat([framed(message), Buffer.from([1, 2, 3])])),
      fc
        .tuple(fc.integer({ min: 0, max: 255 }), fc.maxSafeNat())
        .map(([flag, length]) => framed(message, flag, length)),
      fc.constantFrom(...tooLong),
      fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
    ),
    headers: fc.oneof(fc.constantFrom({}, { 'grpc-encoding': 'gzip' }), lies),
  }),
)

test('wrong prefixes, compression, headers and paths end with a documented status, an HTTP status, or a closed connection', async () => {
  await target.attack('gRPC envelopes', async (tally) => {
    await each(samplesOf(envelopes, 2_000), tally, async (sent) => {
      // On a separate connection: Node's client keeps the unsent bytes of refused bodies in its limit of 10 MB.
      const own = connect(`http://${target.gateway.urls.grpc}`)
      own.on('error', () => undefined)
      // A call whose side never ends waits for the deadline.
      const deadline = sent.ends ? {} : { 'grpc-timeout': '500m' }
      const headers = { ':path': sent.path, authorization: `Bearer ${token}`, ...sent.headers, ...deadline }
      return await rawCall(own, headers, sent.bytes, sent).finally(() => own.destroy())
    })
  })
})

/** Sends each with 16 concurrent callers. */
async function each<T>(
  all: readonly T[],
  tally: Parameters<Parameters<Target['attack']>[1]>[0],
  send: (one: T) => Promise<Came>,
) {
  const queue = all.values()
  const caller = async () => {
    for (const one of queue) {
      const { kind, received } = await send(one)
      tally.sent += 1
      if (kind === 'undeclared') tally.undeclared.push(`${received}: ${JSON.stringify(one).slice(0, 400)}`)
      else tally[kind] += 1
    }
  }
  await Promise.all(Array.from({ length: 16 }, caller))
}
