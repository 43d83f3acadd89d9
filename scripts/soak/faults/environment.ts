import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { killEngineAndWait } from '../../../test/drivers/engine-recovery.ts'
import type { EmbeddedChain } from '../../../test/engine.ts'
import { type Case, cases, sentOnce, streamCases } from '../../../test/providers/fault-cases.ts'
import { pause, type SoakWorld } from '../world.ts'
import type { Effects, Fault } from './windows.ts'

/** A provider that failed five times in a row is avoided for 5 s. */
const leftAloneMs = 6_000
const recoveryMs = 30_000
const lockMs = 1_000

/**
 * The operations that read a chain, by the engine without which they fail. Data that the gateway stores itself
 * (accounts, wallets, executions, volume, realised profit) is always available; the parent chain is read for the bridge
 * and the rollup methods only.
 */
const effectsOf: Record<EmbeddedChain, Effects> = {
  chain: {
    fault: 'engine killed',
    may: [
      {
        operations: oneOf(
          /^chain\./,
          /^eth_|^a batch$|^\/explorer$/,
          /^trading\.(quote|assessRisk|execute|previewRun)$/,
          /^metrics\.(positions|unrealizedPnl|tvl)$/,
          /^tools\.(oraclePrice|walletBalance)$/,
        ),
        codes: ['UNAVAILABLE', '-32002', '503'],
        aftermathMs: 0,
      },
      // A risk that cannot be checked is unknown, and an unknown risk refuses a trade.
      { operations: /^trading\.execute$/, codes: ['rejected'], aftermathMs: 0 },
      // The sandbox's providers wait for their chain longer than the gateway waits for them, and a provider that failed
      // is avoided for a while.
      {
        operations: oneOf(/^tools\.(invoke\w+|latestBitcoinBlock|streamExchange)$/, /^research\.preview$/),
        codes: ['UNAVAILABLE', 'DEADLINE_EXCEEDED'],
        aftermathMs: leftAloneMs,
      },
      // The readiness check caches its result for a second.
      { operations: /^\/health\/ready$/, codes: ['503'], aftermathMs: 1_000 },
    ],
  },
  'chain/parent': {
    fault: 'engine of the parent killed',
    may: [
      {
        operations: oneOf(/^chain\.(bridgeStatus|watchBridge|rollup\w+)$/, /^rollup_/),
        codes: ['UNAVAILABLE', '-32002'],
        aftermathMs: 0,
      },
    ],
  },
}

/** The engine of a chain is killed, and the gateway starts another one. */
export function engineDies(chain: EmbeddedChain): Fault {
  return async ({ world: { dataDir, gateway }, windows }) => {
    const url = chain === 'chain' ? gateway.urls.rpc : gateway.urls.l1
    await windows.during(effectsOf[chain], () => killEngineAndWait(dataDir, chain, url, recoveryMs))
  }
}

/** Another process holds the database's lock for a second: writers wait, and no caller sees an error. */
export const databaseLocked: Fault = async ({ world: { dataDir }, windows }) => {
  await windows.during({ fault: 'database locked', may: [] }, async () => {
    // Its lock goes with it.
    using database = new DatabaseSync(join(dataDir, 'trident.sqlite'), { timeout: 5_000 })
    database.exec('begin immediate')
    await sleep(lockMs)
  })
}

function oneOf(...some: readonly RegExp[]): RegExp {
  return new RegExp(some.map(({ source }) => source).join('|'))
}

/** The sandbox's URL of each provider, and the operations that fail without it; research reports which part failed. */
const served = [
  { path: '/tvl', operations: /^tools\.invokeTvl$/ },
  { path: '/analytics', operations: /^$/ },
  { path: '/subgraph', operations: /^$/ },
  { path: '/bitcoin', operations: /^tools\.(invokeBitcoin|latestBitcoinBlock)$/ },
  { path: '/exchange/api', operations: /^tools\.(invokeExchange|streamExchange)$/ },
]
const holdMs = 2_500
/** A longer pause requested by a provider would stop its requests for the rest of a soak. */
const longestWaitSeconds = 2

/** A provider of the sandbox fails in one of the ways that the tests of providers know. */
export const providerFails: Fault = async ({ world, windows, numbers: { one } }) => {
  const [{ path, operations }, failure] = [one(served), one(cases)]
  // The code is also UNAVAILABLE while the gateway avoids the provider afterwards.
  const codes = ['UNAVAILABLE', failure.code, sentOnce(failure).code].filter((code) => code !== null)
  const may = [{ operations, codes, aftermathMs: leftAloneMs }]
  const rule = { path, fault: short(failure), times: failure.times }
  await windows.during({ fault: `provider ${failure.name}`, may }, () => failFor(world, rule))
}

/** The exchange's stream breaks for two connections; readers still receive everything. */
export const exchangeBreaks: Fault = async ({ world, windows, numbers: { one } }) => {
  const { name, fault } = one(streamCases)
  const rule = { path: '/exchange/stream', fault, times: 2 }
  await windows.during({ fault: `exchange's stream ${name}`, may: [] }, () => failFor(world, rule))
}

async function failFor(world: SoakWorld, rule: object): Promise<void> {
  await control(world, 'POST', rule)
  await pause(world, holdMs)
  await control(world, 'DELETE')
}

function short({ fault }: Case): Case['fault'] {
  if (fault.type !== 'status' || fault.retry_after === undefined) return fault
  return { ...fault, retry_after: Math.min(fault.retry_after, longestWaitSeconds) }
}

/** The sandbox's fault controls, on a socket of its data folder. */
async function control({ dataDir }: SoakWorld, method: string, rule?: object): Promise<void> {
  const socketPath = join(dataDir, 'chain/providers.sock')
  const asked = request({ socketPath, agent: false, method, path: '/' })
  asked.end(rule === undefined ? '' : JSON.stringify(rule))
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  await once(response.resume(), 'end')
  if (response.statusCode !== 200) throw new Error(`The fault controls returned ${response.statusCode}.`)
}
