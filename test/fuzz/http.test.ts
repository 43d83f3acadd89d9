import { setTimeout } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answers, openTarget, type Tally, type Target } from './gateway.ts'
import { exchangeRaw, openRaw, statusesIn } from './raw-socket.ts'
import { isQuick, samplesOf, sharesOf } from './samples.ts'

let target: Target
beforeAll(async () => {
  target = await openTarget()
})
afterAll(async () => await target[Symbol.asyncDispose]())

const chain = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
const hidden = 'GET /smuggled HTTP/1.1\r\nhost: localhost\r\n\r\n'

/** Pairs of conflicting lengths of a body, followed by what a careless server would read as the next request. */
const smuggled = [
  ['content-length: 5', 'transfer-encoding: chunked'],
  ['transfer-encoding: chunked', 'content-length: 5'],
  ['content-length: 5', 'content-length: 6'],
  ['content-length: 5, 6'],
  ['content-length: +5'],
  ['content-length: 0x5'],
  ['content-length: -1'],
  ['content-length: 5 5'],
  ['transfer-encoding: xchunked'],
  ['transfer-encoding: chunked, identity'],
  ['transfer-encoding: gzip, chunked', 'content-length: 5'],
  ['transfer-encoding : chunked'],
  ['transfer-encoding:\x0bchunked'],
  [' transfer-encoding: chunked'],
  ['x: y\ntransfer-encoding: chunked'],
  ['x: y\r transfer-encoding: chunked'],
  ['transfer-encoding: chunked', 'transfer-encoding: identity'],
].map((lines) => `POST / HTTP/1.1\r\nhost: localhost\r\n${lines.join('\r\n')}\r\n\r\n0\r\n\r\n${hidden}`)

test('lengths that contradict each other end the connection, and nothing behind them is read as a request', async () => {
  await target.attack('HTTP request smuggling', async (tally) => {
    for (const url of [target.gateway.urls.http, target.gateway.urls.rpc])
      for (const text of smuggled) {
        const statuses = statusesIn(await exchangeRaw(url, text))
        tally.sent += 1
        tally.refused += 1
        if (statuses.length !== 1 || statuses[0] !== 400) tally.undeclared.push(`${statuses} to ${text}`)
      }
  })
})

const line = fc.oneof(
  fc.constantFrom('GET / HTTP/1.1', 'POST / HTTP/1.1', 'GET /api/v1/chains HTTP/1.1', 'OPTIONS * HTTP/1.1'),
  fc.constantFrom(
    'GET / HTTP/1.0',
    'GET / HTTP/2.0',
    'PRI * HTTP/2.0',
    'CONNECT x:1 HTTP/1.1',
    'GET http://x/ HTTP/1.1',
  ),
  fc.constantFrom(
    'GET  / HTTP/1.1',
    'GET /\0 HTTP/1.1',
    'GET /%00 HTTP/1.1',
    'get / http/1.1',
    `GET /${'x'.repeat(17_000)} HTTP/1.1`,
  ),
  fc.string({ unit: 'binary', maxLength: 30 }),
)
const usual = fc.oneof(
  fc.constantFrom(
    'host: localhost',
    'host: x',
    'connection: close',
    'connection: upgrade',
    'expect: 100-continue',
    'expect: x',
  ),
  fc.constantFrom('upgrade: websocket', 'upgrade: h2c', 'sec-websocket-version: 13', 'sec-websocket-version: 99'),
  fc.constantFrom(
    'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
    'sec-websocket-key: x',
    'sec-websocket-extensions: permessage-deflate; x=\0',
  ),
  fc.constantFrom(
    'sec-websocket-protocol: ,',
    'content-type: application/json',
    'transfer-encoding: chunked',
    `x: ${'y'.repeat(9_000)}`,
  ),
  fc.nat({ max: 40 }).map((length) => `content-length: ${length}`),
)
const header = fc.oneof(
  { weight: 30, arbitrary: usual },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }) },
)
const request = fc
  .tuple(
    line,
    fc.array(header, { maxLength: 8 }),
    fc.constantFrom(...Array(8).fill('\r\n'), '\n', '\r'),
    fc.constantFrom('', chain, `2f\r\n${chain}\r\n0\r\n\r\n`, 'zz\r\n', 'ffffffffffffffffff\r\n'),
  )
  .map(([first, headers, end, body]) => [first, ...headers, '', body].join(end))

test('heads, bodies and upgrades that are none are answered with declared statuses or hung up on', async () => {
  await target.attack('HTTP requests from bytes', async (tally) => {
    const { http, rpc } = target.gateway.urls
    const queue = samplesOf(request, 1_500).values()
    const caller = async () => {
      for (const text of queue)
        for (const url of [http, rpc]) count(tally, await exchangeRaw(url, Buffer.from(text, 'latin1')), text)
    }
    await Promise.all(Array.from({ length: 8 }, caller))
  })
})

test('pipelined requests are answered one by one and in order', async () => {
  await target.attack('HTTP pipelining', async (tally) => {
    const count = sharesOf(5_000)
    const ask = (id: number) => {
      const body = `{"jsonrpc":"2.0","id":${id},"method":"eth_chainId"}`
      return `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
    }
    const all = Array.from({ length: count }, (_, id) => ask(id))
    const received = String(await exchangeRaw(target.gateway.urls.rpc, all.join('')))
    const ids = [...received.matchAll(/"id":(\d+)/g)].map(([, id]) => Number(id))
    expect(ids).toEqual(all.map((_, id) => id))
    tally.sent = count
    tally.answered = ids.length
  })
})

test.skipIf(isQuick)('heads and bodies that come a byte at a time are cut off while others are answered', async () => {
  await target.attack('HTTP slow senders', async (tally) => {
    const head = 'POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n'
    const slow = await Promise.all(
      Array.from({ length: 400 }, async (_, index) => {
        const { http, rpc } = target.gateway.urls
        const raw = await openRaw(index % 2 === 0 ? http : rpc)
        raw.socket.write(index % 4 < 2 ? head : `${head}content-length: 100000\r\n\r\n`)
        const drip = setInterval(() => raw.socket.write('x'), 500)
        return { raw, drip }
      }),
    )
    // 10 s for the headers and 30 s for the whole; Node checks every 30 s.
    const cut = Promise.all(slow.map(({ raw, drip }) => raw.closed(120_000).finally(() => clearInterval(drip)))).then(
      () => true,
    )
    do await answers(target.gateway)
    while (!(await Promise.race([cut, setTimeout(2_000, false)])))
    for (const { raw } of slow) count(tally, raw.received(), 'a slow sender')
  })
})

/** An upgrade, a success, the redirect to the documents, and refusals by the gateway and Node's parser. */
const declared = new Set([100, 101, 200, 204, 302, 400, 401, 403, 404, 405, 408, 413, 415, 417, 426, 431])

/** The response is empty, or all its statuses are documented. */
function count(tally: Tally, received: Buffer, text: string): void {
  const statuses = statusesIn(received)
  tally.sent += 1
  if (statuses.some((status) => status < 400)) tally.answered += 1
  else tally.refused += 1
  if (statuses.some((status) => !declared.has(status))) tally.undeclared.push(`${statuses} to ${text}`)
}
