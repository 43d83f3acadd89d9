import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { callers, exampleWorld, serveWorld } from '../../../../test/protocols/world.ts'
import type { HttpServer } from '../../http.ts'
import { explorerRoutes } from './server.ts'
import type { Deed, ExplorerAddress, ExplorerSource, ExplorerTransaction, WholeBlock } from './source.ts'

const servers: HttpServer[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

const hash = `0x${'ab'.repeat(32)}`
const party = (digit: string, name: string | null = null, listed = false) => ({
  address: `0x${digit.repeat(40)}`,
  name,
  listed,
})
const transaction: ExplorerTransaction = {
  hash,
  nativeSymbol: 'ETH',
  status: 'success',
  blockNumber: 7n,
  depth: 3n,
  timestamp: new Date(0),
  from: party('1'),
  to: null,
  contract: party('2'),
  valueWei: 1_500_000_000_000_000_001n,
  mintedWei: 2_000_000_000_000_000_000n,
  withdrawnWei: [],
  nonce: 3,
  gasUsed: 21_000n,
  feeWei: 21_000n,
  input: '0x',
  logs: [
    {
      index: 0,
      contract: party('3', 'USDC', true),
      topics: [],
      data: '0x',
      event: { name: 'Transfer', args: [{ name: 'to', value: '<script>alert(1)</script>' }] },
    },
    { index: 1, contract: party('4'), topics: ['0x01'], data: '0x02', event: null },
  ],
  hiddenLogs: 0,
  transfers: [{ token: party('5', '<b>USDC</b>'), from: party('1'), to: party('2'), amount: '12.5' }],
  trace: {
    type: 'CREATE',
    to: null,
    selector: '0x',
    valueWei: 1n,
    gasUsed: 9n,
    error: null,
    hidden: 4,
    calls: [
      {
        type: 'CALL',
        to: party('6'),
        selector: '0xabcdef01',
        valueWei: 0n,
        gasUsed: 5n,
        error: '<i>out of gas</i>',
        calls: [],
        hidden: 0,
      },
    ],
  },
}
const block = {
  number: 7n,
  hash,
  parentHash: `0x${'cd'.repeat(32)}`,
  timestamp: new Date(0),
  count: 1,
  gasUsed: 21_000n,
  gasLimit: 60_000_000n,
  baseFeePerGas: 7n,
}
const address: ExplorerAddress = {
  party: party('1'),
  nativeSymbol: 'ETH',
  balanceWei: 10n ** 18n,
  sent: 3,
  isContract: false,
  tokens: [{ token: party('3', 'USDC', true), amount: '25000' }],
  transactions: [{ hash, blockNumber: 7n, from: party('1'), to: party('2'), valueWei: 5n }],
  lookedSince: 4n,
  sinceBlock: 0n,
  transfers: transaction.transfers,
}

async function serve(
  take: (address: string) => Promise<number> = async () => 0,
  shown: Partial<ExplorerTransaction> = {},
  shownBlock: Partial<WholeBlock> = {},
  shownAddress: Partial<ExplorerAddress> = {},
) {
  const source: ExplorerSource = {
    newest: async () => ({
      nativeSymbol: 'ETH',
      blocks: [block],
      transactions: [{ hash, blockNumber: 7n, from: party('1'), to: party('2'), valueWei: 5n }],
    }),
    kindOf: async (id) => (id === hash ? 'transaction' : id === block.parentHash ? 'block' : null),
    tokenOf: (symbol) => (symbol === 'USDC' ? `0x${'3'.repeat(40)}` : null),
    block: async (id) =>
      id === '7' || id === 'latest'
        ? {
            ...block,
            nativeSymbol: 'ETH',
            transactions: [{ hash, from: party('1'), to: null, valueWei: 0n }],
            ...shownBlock,
          }
        : null,
    transaction: async (id) => (id === hash ? { ...transaction, ...shown } : null),
    address: async () => ({ ...address, ...shownAddress }),
  }
  const server = await serveWorld(exampleWorld(), { routes: [explorerRoutes({ source, callers, take })] })
  servers.push(server)
  return async (path: string) => {
    const response = await fetch(server.url + path, { headers: { accept: 'text/html' }, redirect: 'manual' })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
}

test('a transaction is shown with exact amounts, escaped, under a policy without foreign scripts', async () => {
  const { status, headers, text } = await (await serve())(`/explorer/tx/${hash}`)
  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(headers.get('content-security-policy')).toContain("default-src 'none'")
  for (const shown of [
    hash,
    'success',
    '(3 deep)',
    '1.500000000000000001',
    'Transfer',
    'a new contract',
    '<td>2 ETH</td>',
  ])
    expect(text).toContain(shown)
  expect(text).toContain('✓ USDC')
  expect(text).toContain('… and 4 more')
  for (const markup of ['<script>alert', '<b>USDC', '<i>out']) expect(text).not.toContain(markup)
})

test('a hash is shortened, whole on hover and in its copy button, whose script the policy names by its digest', async () => {
  const { headers, text } = await (await serve())(`/explorer/tx/${hash}`)
  const short = `<code title="${hash}">0xabababab…abababab</code>`
  expect(text).toContain(
    `<tr><th>Hash</th><td><span class="line">${short} <button type="button" hidden data-copy="${hash}"`,
  )
  expect(text.replaceAll(/"[^"]*"/g, '')).not.toMatch(/0x[0-9a-f]{40}/)
  const [, script = ''] = /<script>(.*)<\/script>/s.exec(text) ?? []
  const digest = createHash('sha256').update(script).digest('base64')
  expect(headers.get('content-security-policy')).toContain(`script-src 'sha256-${digest}';`)
})

test('an unknown hash and a malformed one are pages with status 404', async () => {
  const get = await serve()
  expect((await get(`/explorer/tx/0x${'00'.repeat(32)}`)).status).toBe(404)
  expect((await get('/explorer/tx/%3Cscript%3E')).status).toBe(404)
})

test('the pages of the newest blocks, a block and an address link to each other', async () => {
  const get = await serve()
  const newest = (await get('/explorer')).text
  for (const link of ['/explorer/block/7', `/explorer/tx/${hash}`]) expect(newest).toContain(`href="${link}"`)
  expect((await get('/explorer/block/latest')).text).toContain('Block 7')
  const page = await get('/explorer/block/7')
  expect([page.status, page.text]).toEqual([200, expect.stringContaining(`href="/explorer/tx/${hash}"`)])
  const account = await get(`/explorer/address/0x${'1'.repeat(40)}`)
  expect([account.status, account.text]).toEqual([200, expect.stringContaining('25000')])
  for (const part of [`href="/explorer/tx/${hash}"`, 'Transactions since block 4']) expect(account.text).toContain(part)
  for (const path of [
    'block/8',
    'block/pending',
    'block/-1',
    'block',
    'nothing',
    'address/0x12',
    'address/%3Cscript%3E',
  ])
    expect([path, (await get(`/explorer/${path}`)).status]).toEqual([path, 404])
})

test('an address over its rate gets a page with the seconds to wait, and the chain is not read', async () => {
  const addresses: string[] = []
  const get = await serve(async (address) => addresses.push(address) * 7)
  for (const path of ['/explorer', `/explorer/tx/${hash}`]) {
    const { status, headers, text } = await get(path)
    expect([status, text]).toEqual([429, expect.stringContaining('Too many requests')])
    expect(headers.get('retry-after')).toBe(`${addresses.length * 7}`)
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
  }
  expect(addresses).toEqual(['127.0.0.1', '127.0.0.1'])
})

test('a search leads to a block, a transaction or an address in any notation', async () => {
  const get = await serve()
  const lower = 'abcdef0123'.repeat(4)
  for (const [query, path] of [
    ['7', 'block/7'],
    [' 0x7 ', 'block/0x7'],
    ['latest', 'block/latest'],
    [block.parentHash, `block/${block.parentHash}`],
    [hash.toUpperCase().replace('0X', '0x'), `tx/${hash}`],
    [hash.slice(2), `tx/${hash}`],
    [`0x${lower.toUpperCase()}`, `address/0x${lower}`],
    [lower, `address/0x${lower}`],
    ['USDC', `address/0x${'3'.repeat(40)}`],
  ]) {
    const { status, headers } = await get(`/explorer/search?q=${encodeURIComponent(query!)}`)
    expect([query, status, headers.get('location')]).toEqual([query, 302, `/explorer/${path}`])
  }
  for (const nothing of ['', '?q=', '?q=%20'])
    expect((await get(`/explorer/search${nothing}`)).headers.get('location')).toBe('/explorer')
})

test('a search without a result says what can be found, and shows the typed text escaped', async () => {
  const get = await serve()
  const typed = '"><script>alert(1)</script>'
  for (const query of [typed, '-1', '1e3', '//evil.example', `0x${'00'.repeat(32)}`, 'x'.repeat(5_000), '\u0000\r\n']) {
    const { status, headers, text } = await get(`/explorer/search?q=${encodeURIComponent(query)}`)
    expect([query, status, headers.get('location')]).toEqual([query, 404, null])
    expect(text).toContain('number or hash')
    expect(text).not.toMatch(/<script/)
    expect(text.length).toBeLessThan(5_000)
  }
  expect((await get(`/explorer/search?q=${encodeURIComponent(typed)}`)).text).toContain('value="&#34;&#62;&#60;script')
  expect((await get('/explorer/search?q=7&q=8')).headers.get('location')).toBe('/explorer')
})

test('every page has the search form, which the policy allows to send to this server only', async () => {
  const get = await serve()
  for (const path of ['', '/block/7', `/tx/${hash}`, `/address/0x${'1'.repeat(40)}`, '/block/8', '/search?q=-1']) {
    const { headers, text } = await get(`/explorer${path}`)
    expect(text).toContain('<form action="/explorer/search" role="search"><input type="search" name="q"')
    expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*form-action 'self'/)
  }
})

test('a trailing slash redirects to the same page on this server', async () => {
  const get = await serve()
  for (const [path, place] of [
    ['/explorer/', '/explorer'],
    ['/explorer/block/7/', '/explorer/block/7'],
    ['/explorer//evil.example//', '/explorer//evil.example'],
  ]) {
    const { status, headers } = await get(path!)
    expect([path, status, headers.get('location')]).toEqual([path, 308, place])
  }
  expect((await get('/explorer/?x=1')).headers.get('location')).toBe('/explorer')
})

test('many slashes within a path cost no more than other characters', async () => {
  const get = await serve()
  const path = `/explorer/${'/'.repeat(15_000)}x`
  // Each would take most of a second with a pattern that backtracks at every slash.
  for (let round = 0; round < 100; round += 1) {
    const { status, headers } = await get(`${path}//`)
    expect([status, headers.get('location')]).toEqual([308, path])
  }
})

test('a whole URL as the request target redirects nowhere else', async () => {
  await serve()
  const { hostname, port } = new URL(servers.at(-1)?.url ?? '')
  const socket = connect(Number(port), hostname)
  socket.write(`GET http://evil.example/explorer/x/ HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\n\r\n`)
  const [head] = await once(socket, 'data')
  socket.destroy()
  expect(/^location: (.*)$/im.exec(String(head))?.[1]).toBe('/explorer/x')
})

const usdc = party('3', 'USDC', true)
const weth = party('4', 'WETH', true)
const router = party('6', 'Uniswap v3 router', true)
const swap: Deed = {
  kind: 'swap',
  paid: { amount: '0.5', token: weth },
  got: { amount: '1498.954999', token: usdc },
  venue: router,
}

/** The first line of the page of a transaction, as it reads and as it is written. */
async function sentenceOf(shown: Partial<ExplorerTransaction>) {
  const { text } = await (await serve(undefined, shown))(`/explorer/tx/${hash}`)
  const [, markup = ''] = /<h1>Transaction<\/h1><p class="deed[^"]*">(.*?)<\/p>/.exec(text) ?? []
  return { read: markup.replaceAll(/<[^>]*>/g, ''), markup, text }
}

test('the page of a transaction begins with a sentence that says what it did', async () => {
  const to = party('2')
  const short = '0x2222…2222'
  const ether = (amount: string) => ({ amount, token: null })
  const told: [Deed, string][] = [
    [swap, 'Swapped 0.5 WETH for 1,498.95 USDC on Uniswap v3'],
    [{ ...swap, paid: ether('1234567.5'), venue: to }, `Swapped 1,234,567.5 ETH for 1,498.95 USDC on ${short}`],
    [{ kind: 'send', sent: ether('1.5'), to }, `Sent 1.5 ETH to ${short}`],
    [{ kind: 'send', sent: ether('0.00000012'), to }, `Sent less than 0.000001 ETH to ${short}`],
    [{ kind: 'send', sent: ether('0'), to }, `Sent 0 ETH to ${short}`],
    [{ kind: 'send', sent: { amount: '25', token: usdc }, to }, `Sent 25 USDC to ${short}`],
    [{ kind: 'send', sent: { amount: '25', token: party('5') }, to }, `Sent 25 of 0x5555…5555 to ${short}`],
    [{ kind: 'allow', spender: router, token: usdc, amount: '25' }, 'Allowed Uniswap v3 router to spend 25 USDC'],
    [
      { kind: 'allow', spender: router, token: usdc, amount: null },
      'Allowed Uniswap v3 router to spend any amount of USDC',
    ],
    [{ kind: 'allow', spender: router, token: usdc, amount: '0' }, 'Allowed Uniswap v3 router to spend no more USDC'],
    [{ kind: 'wrap', sent: ether('2') }, 'Wrapped 2 ETH'],
    [{ kind: 'unwrap', sent: { amount: '2', token: weth } }, 'Unwrapped 2 WETH'],
    [{ kind: 'deploy', contract: to }, `Deployed the contract ${short}`],
    [{ kind: 'deposit', sent: ether('2'), to }, `Deposited 2 ETH from the parent chain to ${short}`],
    [{ kind: 'withdraw', sent: ether('2') }, 'Withdrew 2 ETH to the parent chain'],
    [{ kind: 'call', name: 'mint', contract: to }, `Called mint of ${short}`],
  ]
  for (const [deed, expected] of told) expect((await sentenceOf({ deed })).read).toBe(expected)
})

test('the sentence of a failed transaction says why and what it tried, that of a pending one that it waits', async () => {
  const failed = { status: 'reverted', deed: swap } as const
  expect((await sentenceOf({ ...failed, reason: 'Too little received' })).read).toBe(
    'Failed: Too little received. It tried to swap 0.5 WETH for at least 1,498.95 USDC on Uniswap v3',
  )
  expect((await sentenceOf({ ...failed, reason: null })).read).toMatch(/^Failed: the node does not say why\. It tried/)
  const deed: Deed = { kind: 'send', sent: { amount: '25', token: usdc }, to: party('2') }
  expect((await sentenceOf({ status: 'pending', deed })).read).toBe(
    'Waits for its block, to send 25 USDC to 0x2222…2222',
  )
})

test('hostile names, functions, arguments and reasons are escaped, and quotes mark names that nobody lists', async () => {
  const evil = '<script>alert(1)</script>'
  const token = party('5', evil)
  const deed: Deed = { ...swap, got: { amount: '9', token }, venue: party('6', evil) }
  const call = {
    name: evil,
    args: [
      { name: evil, value: evil, party: null },
      { name: 'to', value: '', party: token },
    ],
    inner: [],
  }
  const page = await sentenceOf({ deed, call, to: party('6'), input: '0x12345678', status: 'reverted', reason: evil })
  expect(page.text).not.toContain('<script>alert')
  expect(page.markup).toContain('“<bdi>&#60;script&#62;alert(1)&#60;/script&#62;</bdi>”')
  expect((await sentenceOf({ deed: { ...swap, got: { amount: '9', token: party('5', 'USDC') } } })).read).toContain(
    '9 “USDC”',
  )
  const named: Deed = { kind: 'call', name: evil, contract: token }
  expect((await sentenceOf({ deed: named })).text).not.toContain('<script>alert')
})

test('a known call is shown with its arguments, another one by its selector and its input', async () => {
  const args = [{ name: 'value', value: '25 USDC', party: null }]
  const called = { to: party('2'), input: '0xabcdef0100' }
  const inner = { name: 'unwrapWETH9', args, inner: [] }
  const known = await sentenceOf({ ...called, call: { name: 'multicall', args: [], inner: [inner] } })
  for (const part of ['<code>multicall</code>', '<code>unwrapWETH9</code>', '<th>value</th><td>25 USDC</td>'])
    expect(known.text).toContain(part)
  const unknown = await sentenceOf({ ...called, call: null })
  for (const part of ['<th>Selector</th><td>0xabcdef01</td>', '<th>Input</th><td>0xabcdef0100</td>'])
    expect(unknown.text).toContain(part)
})

test('a block and a transaction say whether they are safe or final, and nothing where that is unknown', async () => {
  for (const mark of ['safe', 'final', null] as const) {
    const get = await serve(undefined, { mark }, { mark })
    for (const path of [`tx/${hash}`, 'block/7']) {
      const marks = [...(await get(`/explorer/${path}`)).text.matchAll(/<span class="mark (\w+)"/g)].map(
        ([, one]) => one,
      )
      expect([path, marks]).toEqual([path, mark === null ? [] : [mark]])
    }
  }
})

test('a time has its age, in its largest unit', async () => {
  for (const [seconds, age] of [
    [0, '0 s ago'],
    [12, '12 s ago'],
    [125, '2 min ago'],
    [7_300, '2 h ago'],
    [200_000, '2 d ago'],
    [-125, 'in 2 min'],
  ] as const) {
    const { text } = await sentenceOf({ timestamp: new Date(Date.now() - seconds * 1_000 - 400) })
    expect(text).toContain(`UTC</span> <small class="line">${age}</small>`)
  }
})

test('a block leads to those beside it, and a transaction to those of its block', async () => {
  const ways = async (shown: Partial<ExplorerTransaction>, shownBlock: Partial<WholeBlock>, path: string) =>
    [...(await (await serve(undefined, shown, shownBlock))(path)).text.matchAll(/rel="\w+" href="([^"]*)"/g)].map(
      ([, href]) => href,
    )
  expect(await ways({}, { hasNext: true }, '/explorer/block/7')).toEqual(['/explorer/block/6', '/explorer/block/8'])
  expect(await ways({}, { hasNext: false }, '/explorer/block/7')).toEqual(['/explorer/block/6'])
  expect(await ways({}, { number: 0n, hasNext: false }, '/explorer/block/7')).toEqual([])
  const [previous, next] = [`0x${'01'.repeat(32)}`, `0x${'02'.repeat(32)}`]
  const both = [`/explorer/tx/${previous}`, `/explorer/tx/${next}`]
  expect(await ways({ previous, next }, {}, `/explorer/tx/${hash}`)).toEqual(both)
  expect(await ways({ previous: null, next: null }, {}, `/explorer/tx/${hash}`)).toEqual([])
})

test('an address shows its worth and that of its tokens, and unknown where there is no price', async () => {
  const factsOf = async (shown: Partial<ExplorerAddress>) => {
    const { text } = await (await serve(undefined, {}, {}, shown))(`/explorer/address/0x${'1'.repeat(40)}`)
    const worth = /<th>Worth<\/th><td>([^<]*)/.exec(text)?.[1]
    const tokens = /Listed tokens.*?<\/table>/s.exec(text)?.[0] ?? ''
    return [worth, tokens.replaceAll(/<[^>]*>/g, ' ').replaceAll(/ +/g, ' ')]
  }
  const tokens = [
    { token: usdc, amount: '25000', usd: '24999.5' },
    { token: weth, amount: '1', usd: null },
    { token: party('8', '<b>X'), amount: '1', usd: '0.001' },
  ]
  const [worth, rows] = await factsOf({ worth: { usd: '1234567.891', unpriced: ['WETH', 'DAI'] }, tokens })
  expect(worth).toBe('$1,234,567.89, and WETH, DAI without a price')
  expect(rows).toContain('✓ USDC 25000 $24,999.50 ✓ WETH 1 unknown “ &#60;b&#62;X ” 1 less than $0.01')
  expect((await factsOf({ worth: { usd: '0', unpriced: [] }, tokens: [] }))[0]).toBe('$0.00')
  expect((await factsOf({ worth: null, tokens }))[0]).toBe('unknown')
})
