import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { Agent } from 'undici'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Network, Resolved } from './hostile-url.ts'
import { createHttpProvider } from './http.ts'
import { createSubgraphs } from './subgraphs.ts'

const publicAddress = '93.184.216.34'
/** The host names of these tests. */
const names: Record<string, readonly string[]> = {
  'graph.example': [publicAddress],
  'gateway.example': ['2606:2800:220:1:248:1893:25c8:1946'],
  'private.example': ['10.1.2.3'],
  'mixed.example': [publicAddress, '192.168.0.1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'metadata.example': ['169.254.169.254'],
}

type Seen = { host: string | undefined; authorization: string | undefined; body: string }
let reply: (request: IncomingMessage, response: ServerResponse) => void
let server: Server
/** The response to the query for the newest block, which follows every other query. */
let tellBlock: (response: ServerResponse) => void
const seen: Seen[] = []
const resolved: string[] = []
const dialled: string[] = []

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString()
    if (body.includes('_meta')) return void tellBlock(response)
    seen.push({ host: request.headers.host, authorization: request.headers.authorization, body })
    reply(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})
beforeEach(() => {
  for (const list of [seen, resolved, dialled]) list.splice(0)
  reply = (_request, response) => response.end('{"data":{"a":1}}')
  tellBlock = (response) => response.end('{"errors":[{"message":"no such field"}]}')
})

/** Connects its public addresses to the test's server, without TLS. */
const network: Network = {
  async resolve(host) {
    resolved.push(host)
    return (names[host] ?? []).map((address): Resolved => ({ address, family: address.includes(':') ? 6 : 4 }))
  },
  pinned({ address }) {
    dialled.push(address)
    const { port } = server.address() as AddressInfo
    return new Agent({
      connect(_asked, done) {
        const socket = connect(port, '127.0.0.1', () => done(null, socket))
        socket.once('error', (error) => done(error, null))
      },
    })
  },
}

const subgraphs = createSubgraphs({ own: null, key: { host: 'gateway.example', secret: 'the-key' }, network })

function ask(address: string, query = '{ a }') {
  return subgraphs.query(address, { query, variables: {} }, { account: 1, signal: new AbortController().signal })
}

function redirectTo(location: string, status = 307) {
  return (_request: IncomingMessage, response: ServerResponse) => void response.writeHead(status, { location }).end()
}

test('a public subgraph answers, looked up once and dialled where it was found', async () => {
  const answer = await ask('https://graph.example/subgraphs/1')
  expect(answer).toMatchObject({ value: { data: { a: 1 } }, source: 'subgraph (graph.example)', ageMs: 0 })
  // Once for the query and once for the newest block.
  expect([resolved, dialled]).toEqual([
    ['graph.example', 'graph.example'],
    [publicAddress, publicAddress],
  ])
  expect(seen).toMatchObject([{ body: '{"query":"{ a }","variables":{}}', authorization: undefined }])
})

test.each([
  ['plain http', 'http://graph.example/'],
  ['another scheme', 'ftp://graph.example/'],
  ['a file', 'file:///etc/passwd'],
  ['loopback', 'https://127.0.0.1/'],
  ['loopback in one number', 'https://2130706433/'],
  ['loopback in hex', 'https://0x7f000001/'],
  ['loopback in octal', 'https://0177.0.0.1/'],
  ['loopback cut short', 'https://127.1/'],
  ['no address at all', 'https://0.0.0.0/'],
  ['loopback by IPv6', 'https://[::1]/'],
  ['loopback mapped into IPv6', 'https://[::ffff:127.0.0.1]/'],
  ['loopback mapped in hex', 'https://[::ffff:7f00:1]/'],
  ['loopback compatible with IPv6', 'https://[::127.0.0.1]/'],
  ['loopback behind NAT64', 'https://[64:ff9b::7f00:1]/'],
  ['loopback behind 6to4', 'https://[2002:7f00:1::]/'],
  ['a private network', 'https://10.0.0.1/'],
  ['another private network', 'https://172.31.255.255/'],
  ['a home network', 'https://192.168.1.1/'],
  ["a carrier's network", 'https://100.64.0.1/'],
  ['link-local', 'https://169.254.1.1/'],
  ['link-local by IPv6', 'https://[fe80::1]/'],
  ['unique local by IPv6', 'https://[fd00::1]/'],
  ['metadata', 'https://169.254.169.254/latest/meta-data/'],
  ['metadata at a public address', 'https://168.63.129.16/'],
  ['multicast', 'https://224.0.0.1/'],
  ['broadcast', 'https://255.255.255.255/'],
  ['a name of a private address', 'https://private.example/'],
  ['a name of a public and a private address', 'https://mixed.example/'],
  ['a name of a mapped address', 'https://mapped.example/'],
  ['a name of metadata', 'https://metadata.example/'],
  ['a name in wide letters', 'https://ｐrivate.example/'],
  ['a name with a dot at its end', 'https://private.example./'],
  ['an unknown name', 'https://nowhere.example/'],
  ['a user', 'https://graph.example@127.0.0.1/'],
  ['a password', 'https://ada:secret@graph.example/'],
])('%s is refused before anything is sent', async (_name, address) => {
  const failure = await ask(address).then(null, (error) => error)
  expect(failure).toMatchObject({ code: 'INVALID_ARGUMENT', details: { violations: [{ path: 'subgraph' }] } })
  expect([seen, dialled]).toEqual([[], []])
  for (const words of ['10.1.2.3', 'secret', '169.254']) expect(failure.message).not.toContain(words)
})

test.each([
  ['plain http', 'http://graph.example/'],
  ['loopback', 'https://127.0.0.1/'],
  ['a name of a private address', 'https://private.example/'],
  ['a name of metadata', 'https://metadata.example/'],
  ['loopback mapped into IPv6', 'https://[::ffff:127.0.0.1]/'],
])('a redirect to %s is refused', async (_name, target) => {
  reply = redirectTo(target)
  await expect(ask('https://graph.example/')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  expect(seen).toHaveLength(1)
})

test.each([
  ['a block', '{"data":{"_meta":{"block":{"number":7,"timestamp":1700000000}}}}', { number: 7, at: new Date(1.7e12) }],
  ['a block without its time', '{"data":{"_meta":{"block":{"number":7}}}}', { number: 7, at: null }],
  ['no such thing', '{"errors":[{"message":"no such field"}]}', null],
  ['a block of another shape', '{"data":{"_meta":{"block":{"number":"7"}}}}', null],
  ['nothing at all', null, null],
])('a subgraph that tells %s of its block answers all the same', async (_name, text, block) => {
  tellBlock = (response) => void (text === null ? response.flushHeaders() : response.end(text))
  expect(await ask('https://graph.example/1')).toMatchObject({ value: { data: { a: 1 } }, block })
})

test('redirects are resolved again, carry no key, and are limited', async () => {
  reply = (request, response) =>
    seen.length === 1 ? redirectTo('https://graph.example/2')(request, response) : void response.end('{"data":{}}')
  await ask('https://gateway.example/1')
  expect(seen.map(({ authorization }) => authorization)).toEqual(['Bearer the-key', undefined])
  expect(resolved.slice(0, 2)).toEqual(['gateway.example', 'graph.example'])
  seen.splice(0)
  reply = redirectTo('https://graph.example/again')
  await expect(ask('https://graph.example/')).rejects.toMatchObject({ message: /redirects more than 3 times/ })
  expect(seen).toHaveLength(4)
})

test('a name that changes its address between two hops is caught at the second', async () => {
  let count = 0
  const rebinding: Network = {
    ...network,
    async resolve() {
      count += 1
      return [{ address: count === 1 ? publicAddress : '127.0.0.1', family: 4 }]
    },
  }
  reply = redirectTo('https://graph.example/')
  const asked = createSubgraphs({ own: null, key: null, network: rebinding }).query(
    'https://graph.example/',
    { query: '{ a }', variables: {} },
    { account: 1, signal: new AbortController().signal },
  )
  await expect(asked).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  expect([count, seen.length]).toEqual([2, 1])
})

test.each([
  ['errors in a 200', '{"data":{"a":1},"errors":[{"message":"no field b"}]}', 'INVALID_ARGUMENT'],
  ['no data', '{"data":null}', 'UNAVAILABLE'],
  ['another shape', '[1]', 'UNAVAILABLE'],
  ['no JSON', '<html>', 'UNAVAILABLE'],
  ['too deep a nesting', `{"data":${'{"a":'.repeat(20)}1${'}'.repeat(20)}}`, 'UNAVAILABLE'],
])('%s is an error', async (_name, text, code) => {
  reply = (_request, response) => void response.end(text)
  await expect(ask('https://graph.example/')).rejects.toMatchObject({ code })
})

test.each([
  'bad indexers: {0x1: Unavailable(no status: indexer not available)}',
  'Store error: query timed out',
  'Too many requests, please try again later',
])('%s is no fault of the caller', async (message) => {
  reply = (_request, response) => void response.end(JSON.stringify({ errors: [{ message }] }))
  await expect(ask('https://graph.example/')).rejects.toMatchObject({ code: 'UNAVAILABLE', message: /try again/ })
})

test('a query that is refused names its field', async () => {
  reply = (_request, response) => void response.writeHead(400).end('{"errors":[{"message":"no field b for the-key"}]}')
  const violations = [{ path: 'gql', message: 'the subgraph refuses the query: no field b for ***' }]
  await expect(ask('https://graph.example/')).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    details: { violations },
  })
})

test.each([
  ['by status', 401, 'no'],
  ['by an error in a 200', 200, '{"errors":[{"message":"auth error: API key not found"}]}'],
])('a key that is refused %s names the setting of whoever sent it', async (_name, status, text) => {
  reply = (_request, response) => void response.writeHead(status).end(text)
  const refused = { code: 'UNAVAILABLE', message: /check SUBGRAPH_API_KEY/ }
  await expect(ask('https://gateway.example/')).rejects.toMatchObject(refused)
  await expect(ask('https://graph.example/')).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: /check subgraph\./,
  })
})

test('a Retry-After is returned', async () => {
  reply = (_request, response) => void response.writeHead(429, { 'retry-after': '30' }).end()
  await expect(ask('https://graph.example/')).rejects.toMatchObject({ details: { retryAfterSeconds: 30 } })
})

test.each([undefined, 'https://'])('a redirect to %s is requested once', async (location) => {
  reply = (_request, response) => void response.writeHead(304, location === undefined ? {} : { location }).end()
  await expect(ask('https://graph.example/')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(seen).toHaveLength(1)
})

test('a query whose response is nested too deeply does not make the subgraph unavailable to others', async () => {
  const text = `{"data":${'{"a":'.repeat(20)}1${'}'.repeat(20)}}`
  reply = (_request, response) => void response.end(seen.length <= 2 ? text : '{"data":{"a":1}}')
  const { port } = server.address() as AddressInfo
  const address = `http://127.0.0.1:${port}/pools`
  const naming = { name: 'The subgraph', urlSetting: 'subgraph', baseUrl: address }
  await using open = new AsyncDisposableStack()
  const provider = createHttpProvider({ ...naming, times: { failures: 1, pauseMs: 1 } })
  open.defer(provider.close)
  const own = createSubgraphs({ own: { address, provider }, key: null })
  const query = () =>
    own.query(address, { query: '{ a }', variables: {} }, { account: 1, signal: new AbortController().signal })
  for (const _ of [1, 2]) await expect(query()).rejects.toMatchObject({ message: /Request less/ })
  expect(await query()).toMatchObject({ value: { data: { a: 1 } } })
})

test('more than 4 MiB are not read', async () => {
  const chunk = Buffer.alloc(65_536, ' ')
  reply = (_request, response) => {
    const more = () => {
      while (!response.destroyed && response.write(chunk));
      response.once('drain', more)
    }
    more()
  }
  await expect(ask('https://graph.example/')).rejects.toMatchObject({ message: /Request less/ })
})

test('the machine itself by its own name is refused', async () => {
  const real = createSubgraphs({ own: null, key: null })
  const asked = { query: '{ a }', variables: {} }
  const { port } = server.address() as AddressInfo
  const answer = real.query(`https://localhost:${port}/`, asked, { account: 1, signal: new AbortController().signal })
  await expect(answer).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  expect(seen).toEqual([])
})
