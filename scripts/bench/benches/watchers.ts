import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../../../src/sandbox/fixtures/testing.ts'
import type { Client } from '../../../test/clients/client.ts'
import { restClient } from '../../../test/clients/rest.ts'
import { type Gateway, startGateway } from '../../../test/gateway-process.ts'
import { asOperator } from '../../../test/operator-token.ts'
import type { Account } from '../../../test/world.ts'
import type { Bench, Figure } from '../figures.ts'
import { openAccounts } from '../trading.ts'
import { waitMs } from '../turns.ts'

/** As many as one account may have open of live quotes. */
const streamsEach = 5
const rounds = 3
const roundMs = 8_000

type Reading = { blocks: number; cpuMs: number; statements: number }
type Load = { events(): number; stop(): Promise<void> }

/**
 * What watchers cost a block: statements of the database and processor time of the gateway, without any, with a hundred
 * watchers of accounts (or the requested number) in which nothing happens, and with as many watchers of quotes, each of
 * another amount. Throws where a watcher of a quote misses blocks.
 */
export const bench: Bench = async ([count = 100]) => {
  await using gateway = await startGateway(null, { RATE_LIMITS: 'off', LOG_LEVEL: 'silent' })
  const client = restClient(gateway.urls.http)
  const accounts = await openAccounts(client, Math.ceil(count / streamsEach))
  const idle = await roundsOf(gateway)
  const ofAccounts = watchers(count, (index) => client.stream('trading.watchAccount', {}, tokenOf(accounts, index)))
  await until(() => ofAccounts.events() >= count, 'an event for each watcher of an account', waitMs)
  const withAccounts = await roundsOf(gateway)
  await ofAccounts.stop()
  const ofQuotes = watchers(count, (index) => quotesOf(client, accounts, index))
  await until(() => ofQuotes.events() >= count, 'a price for each watcher', waitMs)
  const before = ofQuotes.events()
  const withQuotes = await roundsOf(gateway)
  const blocks = withQuotes.reduce((sum, reading) => sum + reading.blocks, 0)
  if (ofQuotes.events() - before < (blocks - rounds) * count) throw new Error('Watchers of quotes missed blocks.')
  await ofQuotes.stop()
  return [
    ...figuresOf('no watcher', idle),
    ...figuresOf(`${count} watchers of accounts`, withAccounts),
    ...figuresOf(`${count} watchers of quotes`, withQuotes),
  ]
}

function tokenOf(accounts: readonly Account[], index: number): string {
  return (accounts[Math.floor(index / streamsEach)] as Account).token
}

function quotesOf(client: Client, accounts: readonly Account[], index: number) {
  const account = accounts[Math.floor(index / streamsEach)] as Account
  const input = account.swap('WETH', 'USDC', `0.1${String(index + 1).padStart(3, '0')}`)
  return client.stream('trading.watchQuote', { input }, account.token)
}

function watchers(count: number, open: (index: number) => AsyncGenerator<unknown, void, undefined>): Load {
  let events = 0
  const streams = Array.from({ length: count }, (_, index) => open(index))
  const reading = streams.map(async (stream) => {
    for await (const _ of stream) events += 1
  })
  for (const one of reading) one.catch(() => undefined) // it is left in the middle of an event
  return {
    events: () => events,
    async stop() {
      await Promise.all(streams.map((stream) => stream.return()))
      await Promise.allSettled(reading)
    },
  }
}

async function roundsOf(gateway: Gateway): Promise<Reading[]> {
  const made: Reading[] = []
  while (made.length < rounds) {
    const before = await reading(gateway)
    await sleep(roundMs)
    const after = await reading(gateway)
    const part = (key: keyof Reading) => after[key] - before[key]
    made.push({ blocks: part('blocks'), cpuMs: part('cpuMs'), statements: part('statements') })
  }
  return made
}

async function reading(gateway: Gateway): Promise<Reading> {
  const text = await (await fetch(`${gateway.urls.http}/metrics`, { headers: asOperator })).text()
  const head = await fetch(gateway.urls.rpc, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] }),
  })
  const { result } = (await head.json()) as { result: string }
  return {
    blocks: Number(result),
    cpuMs: gateway.processorMs(),
    statements: Number(/^trident_storage_statements_total (\S+)$/m.exec(text)?.[1]),
  }
}

function figuresOf(what: string, readings: readonly Reading[]): Figure[] {
  const perBlock = (key: keyof Reading) => readings.map((each) => each[key] / each.blocks)
  return [
    { what: `${what}, statements a block`, unit: 'each', rounds: perBlock('statements') },
    { what: `${what}, processor of the gateway a block`, unit: 'ms', rounds: perBlock('cpuMs') },
  ]
}
