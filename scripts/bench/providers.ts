import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { type Client, output } from '../../test/clients/client.ts'
import { restClient } from '../../test/clients/rest.ts'
import { newAccount } from '../../test/world.ts'
import { startGateway } from '../gateway-process.ts'

/**
 * Measures what the gateway adds to each provider of the sandbox: the same question straight to the provider and through
 * REST, in turns, each one new so that no answer is kept; and how much later a trade reaches a reader of the gateway than
 * one of the exchange itself. Prints one table; takes about a minute.
 */
const runs = 200
const warmUps = 20
const streamSeconds = 30
const symbols = ['ETHUSDC', 'BTCUSDC', 'ETHBTC']
const pauses = [50, 100, 200, 400]

type Ask = (number: number) => Promise<unknown>
type Pair = { name: string; direct: Ask; through: Ask; runs?: number }

await using gateway = await startGateway({ RATE_LIMITS: 'off', LOG_LEVEL: 'silent' })
const client = restClient(gateway.urls.get('REST') ?? '')
const { token } = await newAccount(client)
const [chain] = await output(client.call('trading.listChains', {}, token))
const subgraph: string = chain.subgraph_url
const base = new URL(subgraph).origin
const from = Number((await json(`${base}/exchange/api/v3/aggTrades?symbol=ETHUSDC&limit=1`))[0].a)
const { height } = await invoke('tools.invokeBitcoin', 'tip_get', {})
const txids = await Promise.all(
  Array.from({ length: runs + warmUps }, async (_, back) => {
    const { txids: ids } = await invoke('tools.invokeBitcoin', 'block_transactions', {
      block: Math.max(1, height - back),
    })
    return ids.at(-1) as string
  }),
)

/** An address that was never asked for. */
const fresh = (number: number) => `0x${(number + 1).toString(16).padStart(40, '0')}`
const query = (number: number) => `{ pools(first: 3) { id totalValueLockedUSD } a${number}: _meta { deployment } }`
const meta = (number: number) => `${query(number).slice(0, -1)} _meta { block { number timestamp } } }`

const pairs: Pair[] = [
  {
    name: 'TVL provider: token_price',
    direct: (number) => json(`${base}/tvl/prices/current/sandbox:${fresh(2 * number)}`),
    through: (number) => invoke('tools.invokeTvl', 'token_prices', { tokens: [fresh(2 * number + 1)] }),
  },
  {
    name: 'exchange: trades_since',
    direct: (number) => json(`${base}/exchange/api/v3/aggTrades?symbol=ETHUSDC&fromId=${older(number)}&limit=20`),
    through: (number) =>
      invoke('tools.invokeExchange', 'trades_since', { symbol: 'ETHUSDC', from_id: older(number), limit: 20 }),
  },
  {
    name: 'Bitcoin: transaction_get',
    direct: (number) => json(`${base}/bitcoin/tx/${txids[number]}`),
    through: (number) => invoke('tools.invokeBitcoin', 'transaction_get', { txid: txids[number] }),
  },
  {
    name: 'subgraph: research of one query',
    direct: (number) => json(subgraph, { query: meta(number) }),
    through: (number) => output(client.call('research.preview', { subgraph, gql: meta(number) }, token)),
  },
  {
    name: 'analytics: research of one query',
    direct: analytics,
    through: (number) =>
      output(
        client.call('research.preview', { analytics_query_id: 2, analytics_params: { days: days(number) } }, token),
      ),
    runs: 40,
  },
]

const rows = [['provider', 'n', 'direct p50', 'p99', 'gateway p50', 'p99', 'added p50', 'added p99']]
for (const pair of pairs) rows.push(await measure(pair))
rows.push(await measureStream())
console.log(
  rows.map((row, index) => (index === 1 ? `${line(row.map(() => '---'))}\n${line(row)}` : line(row))).join('\n'),
)
console.log('\nMilliseconds. The providers run in the process of the gateway, which both ways share.')
client.close()

async function measure({ name, direct, through, runs: count = runs }: Pair): Promise<string[]> {
  const [straight, gone]: [number[], number[]] = [[], []]
  for (let number = 0; number < count + warmUps; number += 1) {
    // Who goes first takes turns, too: it may find something read that the other has to read.
    const sides = [[direct, straight] as const, [through, gone] as const]
    for (const [ask, times] of number % 2 === 0 ? sides : sides.toReversed()) {
      const begun = performance.now()
      await ask(number)
      if (number >= warmUps) times.push(performance.now() - begun)
    }
  }
  const [low, high] = [at(straight, 0.5), at(straight, 0.99)]
  const [ownLow, ownHigh] = [at(gone, 0.5), at(gone, 0.99)]
  return [name, `${count}`, ...[low, high, ownLow, ownHigh, ownLow - low, ownHigh - high].map(text)]
}

/** How much later each trade comes by the gateway than from the exchange itself. */
async function measureStream(): Promise<string[]> {
  const [direct, through] = [new Map<string, number>(), new Map<string, number>()]
  const socket = new WebSocket(`${base.replace('http', 'ws')}/exchange/stream`)
  socket.on('message', (data) => {
    const { stream, data: trade } = JSON.parse(String(data))
    if (stream !== undefined) direct.set(`${trade.s} ${trade.a}`, performance.now())
  })
  await new Promise((resolve) => socket.once('open', resolve))
  const params = symbols.map((symbol) => `${symbol.toLowerCase()}@aggTrade`)
  socket.send(JSON.stringify({ method: 'SUBSCRIBE', params, id: 1 }))
  const leaving = new AbortController()
  const following = symbols.map((symbol) =>
    follow(client, symbol, through, leaving.signal).catch((thrown: unknown) => {
      if (!leaving.signal.aborted) throw thrown
    }),
  )
  await sleep(streamSeconds * 1_000)
  leaving.abort()
  await Promise.all(following)
  socket.terminate()
  const later = [...through].flatMap(([trade, when]) => {
    const first = direct.get(trade)
    return first === undefined ? [] : [when - first]
  })
  return [
    'exchange: a trade of the stream',
    `${later.length}`,
    '',
    '',
    '',
    '',
    text(at(later, 0.5)),
    text(at(later, 0.99)),
  ]
}

async function follow(by: Client, symbol: string, seen: Map<string, number>, signal: AbortSignal): Promise<void> {
  const asked = { symbol, streams: ['trade'] }
  const { subscription_id } = await output(by.call('tools.subscribeExchange', asked, token))
  for await (const { trade } of by.stream('tools.streamExchange', { subscription_id }, token, signal))
    if (trade !== undefined) seen.set(`${symbol} ${trade.trade_id}`, performance.now())
}

/** As the gateway asks: starts the query, looks at it until it is done, and takes its rows. */
async function analytics(number: number): Promise<unknown> {
  const parameters = { query_parameters: { days: days(number) }, performance: 'medium' }
  const { execution_id: id } = await json(`${base}/analytics/v1/query/2/execute`, parameters)
  const execution = `${base}/analytics/v1/execution/${id}`
  for (let looks = 0; (await json(`${execution}/status`)).state !== 'QUERY_STATE_COMPLETED'; looks += 1)
    await sleep(pauses[looks] ?? 1_000)
  return await json(`${execution}/results?limit=500&offset=0`)
}

function days(number: number): number {
  return 1 + (number % 300)
}

function older(number: number): number {
  return Math.max(1, from - number)
}

async function invoke(
  id: 'tools.invokeTvl' | 'tools.invokeExchange' | 'tools.invokeBitcoin',
  tool: string,
  given: object,
) {
  return (await output(client.call(id, { tool_name: tool, arguments: given }, token))).result
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every provider pass through here
async function json(url: string, body?: object): Promise<any> {
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const response = await fetch(url, body === undefined ? {} : post)
  const answer = await response.text()
  if (!response.ok) throw new Error(`${url}: ${answer}`)
  return JSON.parse(answer)
}

/** The value below which so great a part of them lies. */
function at(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

function text(milliseconds: number): string {
  return milliseconds.toFixed(1)
}

function line(texts: readonly string[]): string {
  return `| ${texts.join(' | ')} |`
}
