import { until } from '../../../src/sandbox/fixtures/testing.ts'
import { type Client, output } from '../../../test/clients/client.ts'
import { restClient } from '../../../test/clients/rest.ts'
import { type Gateway, startGateway } from '../../../test/gateway-process.ts'
import type { ProcessUse } from '../../../test/process-use.ts'
import type { Account } from '../../../test/world.ts'
import { startChild } from '../child.ts'
import { callers, callsOf, costOf, type Reading } from '../cost.ts'
import type { Bench, Figure } from '../figures.ts'
import { type Ports, paths } from '../servers/served.ts'
import { openAccounts, quotedTrade } from '../trading.ts'
import { inTurns, pollMs, shareWork } from '../turns.ts'

const rounds = 3
const answersOfFloor = 4_000
/** How long the gateway is measured idle before trades. */
const idlesMs = 6_000
/** A block is final after some minutes at most. */
const finalMs = 120_000

type World = { gateway: Gateway; client: Client; accounts: Account[]; trades: number }

/**
 * What a trade and a read cost the gateway, compared with the processor time of one answer of a bare node:http server:
 * processor time of all its threads, statements and commits of the database, and the time that commits hold the event
 * loop. What the gateway uses idle is not counted. Engines are separate processes, and not counted either.
 */
export const bench: Bench = async ([trades = 16, wallets = 8]) => {
  await using gateway = await startGateway(null, { LOG_LEVEL: 'silent' })
  await using bare = startChild('servers/serve.ts', 'bare', gateway.dataDir)
  const { http = 0 } = await bare.ask<Ports>('ports')
  const client = restClient(gateway.urls.http)
  const world = { gateway, client, accounts: await openAccounts(client, wallets), trades }
  const [first] = world.accounts as [Account]
  const { token } = first
  const read = (path: string) => callsOf(gateway, () => readPage(`${gateway.urls.http}${path}`, token))
  let asked = 0
  /** Each is for another amount. */
  const order = () => {
    asked += 1
    return first.trade('WETH', 'USDC', `0.001${String(asked).padStart(6, '0')}`, crypto.randomUUID())
  }
  const simulation = () => ({ ...order(), input: { ...order().input, simulate_only: true } })
  const idleMb = gateway.memoryMb()
  const ways = {
    floor: () => floorOf(bare.use, `http://127.0.0.1:${http}${paths.positions}`),
    wallets: () => read('/api/v1/wallets'),
    positions: () => read(paths.positions),
    quote: () => callsOf(gateway, () => output(client.call('trading.quote', { input: order().input }, token))),
    simulate: () => callsOf(gateway, () => output(client.call('trading.execute', simulation(), token))),
    trade: () => tradesOf(world),
  }
  const results = await inTurns(Object.values(ways), rounds, (way): Promise<Reading> => way())
  const of = (way: () => Promise<Reading>, key: keyof Reading) => (results.get(way) ?? []).map((each) => each[key])
  const floor = { name: 'one bare answer', rounds: of(ways.floor, 'cpuMs') }
  const cpu = (what: string, way: () => Promise<Reading>): Figure => ({
    what: `${what}, processor of the gateway`,
    unit: 'ms',
    rounds: of(way, 'cpuMs'),
    floor,
  })
  return [
    cpu('a real trade with its quote, to `finalized`', ways.trade),
    cpu('GET /wallets', ways.wallets),
    cpu('GET /positions', ways.positions),
    cpu('a quote of a pair that was quoted in the block', ways.quote),
    cpu('a simulated trade', ways.simulate),
    { what: 'a trade, statements', unit: 'each', rounds: of(ways.trade, 'statements') },
    { what: 'a trade, commits', unit: 'each', rounds: of(ways.trade, 'commits') },
    { what: 'a trade, event loop held by commits', unit: 'ms', rounds: of(ways.trade, 'heldMs') },
    { what: 'memory idle, with the accounts opened', unit: 'MiB', rounds: [idleMb] },
    { what: 'memory after all this', unit: 'MiB', rounds: [gateway.memoryMb()] },
  ]
}

/** The cost of one answer of the bare server. */
async function floorOf(use: ProcessUse, url: string): Promise<Reading> {
  const began = use.processorMs()
  await shareWork(answersOfFloor, callers, async () => void (await (await fetch(url)).text()))
  return { cpuMs: (use.processorMs() - began) / answersOfFloor, statements: 0, commits: 0, heldMs: 0 }
}

async function readPage(url: string, token: string): Promise<void> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  await response.text()
  if (!response.ok) throw new Error(`${url} answers ${response.status}.`)
}

/** The cost of one trade, from its quote until its block is final. */
async function tradesOf({ gateway, client, accounts, trades }: World): Promise<Reading> {
  return await costOf(gateway, trades, idlesMs, async () => {
    const executions: { id: string; token: string }[] = []
    await shareWork(trades, accounts.length, async (worker) => {
      const account = accounts[worker] as Account
      executions.push({ id: await quotedTrade(client, account), token: account.token })
    })
    const isFinal = async ({ id, token }: { id: string; token: string }) =>
      (await output(client.call('trading.getExecution', { execution_id: id }, token))).finality === 'finalized'
    for (const execution of executions) await until(() => isFinal(execution), 'a final block', finalMs, 100 * pollMs)
  })
}
