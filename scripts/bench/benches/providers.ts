import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { type Client, output } from '../../../test/clients/client.ts'
import { restClient } from '../../../test/clients/rest.ts'
import { startGateway } from '../../../test/gateway-process.ts'
import { newAccount } from '../../../test/world.ts'
import { percentile } from '../../percentiles.ts'
import type { Bench } from '../bench.ts'
import { type Figure, timeFigures } from '../figures.ts'
import { inTurns } from '../turns.ts'

const rounds = 5
const callsARound = 20
const slowCallsARound = 8
const symbols = ['ETHUSDC', 'BTCUSDC', 'ETHBTC']
const pauses = [50, 100, 200, 400]

type Ask = (number: number) => Promise<unknown>
type Pair = { name: string; direct: Ask; through: Ask; calls?: number }
/** The URLs of the providers, and a client that calls them through the gateway. */
type World = { base: string; subgraph: string; client: Client; token: string }

/**
 * The duration of the same request at each provider of the sandbox itself and through REST, a new one each time so that
 * none is cached; and how much later a trade reaches a reader of the gateway than one of the exchange, over 30 seconds.
 * The providers run in the process of the gateway, which both ways share.
 */
export const bench: Bench = async ([streamSeconds = 30]) => {
  await using gateway = await startGateway(null, { RATE_LIMITS: 'off', LOG_LEVEL: 'silent' })
  const client = restClient(gateway.urls.http)
  const { token } = await newAccount(client)
  const [chain] = await output(client.call('trading.listChains', {}, token))
  const subgraph: string = chain.subgraph_url
  const world = { base: new URL(subgraph).origin, subgraph, client, token }
  const figures: Figure[] = []
  for (const pair of await pairsOf(world)) figures.push(...(await measure(pair)))
  figures.push(...(await measureStream(world, streamSeconds)))
  client.close()
  return figures
}

async function pairsOf(world: World): Promise<Pair[]> {
  const { base, subgraph, client, token } = world
  const from = Number((await json(`${base}/exchange/api/v3/aggTrades?symbol=ETHUSDC&limit=1`))[0].a)
  const older = (number: number) => Math.max(1, from - number)
  const { height } = await invoke(world, 'tools.invokeBitcoin', 'tip_get', {})
  const txids = await Promise.all(
    Array.from({ length: 2 * (rounds + 1) * callsARound }, async (_, back) => {
      const block = Math.max(1, height - back)
      return (await invoke(world, 'tools.invokeBitcoin', 'block_transactions', { block })).txids.at(-1) as string
    }),
  )
  return [
    {
      name: 'TVL provider: token_price',
      direct: (number) => json(`${base}/tvl/prices/current/sandbox:${fresh(number)}`),
      through: (number) => invoke(world, 'tools.invokeTvl', 'token_prices', { tokens: [fresh(number)] }),
    },
    {
      name: 'exchange: trades_since',
      direct: (number) => json(`${base}/exchange/api/v3/aggTrades?symbol=ETHUSDC&fromId=${older(number)}&limit=20`),
      through: (number) =>
        invoke(world, 'tools.invokeExchange', 'trades_since', { symbol: 'ETHUSDC', from_id: older(number), limit: 20 }),
    },
    {
      name: 'Bitcoin: transaction_get',
      direct: (number) => json(`${base}/bitcoin/tx/${txids[number]}`),
      through: (number) => invoke(world, 'tools.invokeBitcoin', 'transaction_get', { txid: txids[number] }),
    },
    {
      name: 'subgraph: research of one query',
      direct: (number) => json(subgraph, { query: meta(number) }),
      through: (number) => output(client.call('research.preview', { subgraph, gql: meta(number) }, token)),
    },
    {
      name: 'analytics: research of one query',
      direct: (number) => analytics(base, number),
      through: (number) => {
        const asked = { analytics_query_id: 2, analytics_params: { days: days(number) } }
        return output(client.call('research.preview', asked, token))
      },
      calls: slowCallsARound,
    },
  ]
}

/** An address that was never read. */
function fresh(number: number): string {
  return `0x${(number + 1).toString(16).padStart(40, '0')}`
}

/** A query that was never made before. */
function meta(number: number): string {
  return `{ pools(first: 3) { id totalValueLockedUSD } a${number}: _meta { deployment } _meta { block { number timestamp } } }`
}

async function measure({ name, direct, through, calls = callsARound }: Pair): Promise<Figure[]> {
  let asked = 0
  const [straight = [], gone = []] = (
    await inTurns([direct, through], rounds, async (ask) => {
      const times: number[] = []
      while (times.length < calls) {
        const begun = performance.now()
        await ask(asked)
        times.push(performance.now() - begun)
        asked += 1
      }
      return times
    })
  ).values()
  return timeFigures(name, gone, { name: 'itself', times: straight })
}

/** The delay of each trade at the gateway compared with the exchange itself. */
async function measureStream({ base, client, token }: World, seconds: number): Promise<Figure[]> {
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
    follow(client, token, symbol, through, leaving.signal).catch((thrown: unknown) => {
      if (!leaving.signal.aborted) throw thrown
    }),
  )
  await sleep(seconds * 1_000)
  leaving.abort()
  await Promise.all(following)
  socket.terminate()
  const later = [...through].flatMap(([trade, when]) => {
    const first = direct.get(trade)
    return first === undefined ? [] : [when - first]
  })
  return ([50, 99] as const).map(
    (percent): Figure => ({
      what: `exchange: a trade of the stream later by, p${percent} of ${later.length}`,
      unit: 'ms',
      rounds: [percentile(later, percent / 100)],
    }),
  )
}

async function follow(
  by: Client,
  token: string,
  symbol: string,
  seen: Map<string, number>,
  signal: AbortSignal,
): Promise<void> {
  const asked = { symbol, streams: ['trade'] }
  const { subscription_id } = await output(by.call('tools.subscribeExchange', asked, token))
  for await (const { trade } of by.stream('tools.streamExchange', { subscription_id }, token, signal))
    if (trade !== undefined) seen.set(`${symbol} ${trade.trade_id}`, performance.now())
}

/** Runs a query as the gateway does: starts it, polls it until it is done, and reads its rows. */
async function analytics(base: string, number: number): Promise<unknown> {
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

async function invoke(
  { client, token }: World,
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
