import { request } from 'node:http'
import { join } from 'node:path'
import { type Case, cases, sentOnce, streamCases } from '../../../test/providers/fault-cases.ts'
import type { SoakWorld } from '../world.ts'
import { type Fault, pause } from './fault.ts'

/** The sandbox's URL of each provider, and the operations that fail without it; research reports which part failed. */
const served = [
  { path: '/tvl', operations: /^tools\.invokeTvl$/ },
  { path: '/analytics', operations: /^$/ },
  { path: '/subgraph', operations: /^$/ },
  { path: '/bitcoin', operations: /^tools\.(invokeBitcoin|latestBitcoinBlock)$/ },
  { path: '/exchange/api', operations: /^tools\.(invokeExchange|streamExchange)$/ },
]
const holdMs = 2_500
/** A provider that failed five times in a row is avoided for 5 s. */
export const leftAloneMs = 6_000
/** A longer pause requested by a provider would stop its requests for the rest of a soak. */
const longestWaitSeconds = 2

/** A provider of the sandbox fails in one of the ways that the tests of providers know. */
export const providerFails: Fault = async ({ world, windows, numbers: { one } }) => {
  const [{ path, operations }, failure] = [one(served), one(cases)]
  // The code is also UNAVAILABLE while the gateway avoids the provider afterwards.
  const codes = ['UNAVAILABLE', failure.code, sentOnce(failure).code].filter((code) => code !== null)
  const may = [{ operations, codes, aftermathMs: leftAloneMs }]
  await windows.during({ fault: `provider ${failure.name}`, may }, async () => {
    await control(world, 'POST', { path, fault: short(failure), times: failure.times })
    await pause(world, holdMs)
    await control(world, 'DELETE')
  })
}

/** The exchange's stream breaks for two connections; readers still receive everything. */
export const exchangeBreaks: Fault = async ({ world, windows, numbers: { one } }) => {
  const { name, fault } = one(streamCases)
  await windows.during({ fault: `exchange's stream ${name}`, may: [] }, async () => {
    await control(world, 'POST', { path: '/exchange/stream', fault, times: 2 })
    await pause(world, holdMs)
    await control(world, 'DELETE')
  })
}

function short({ fault }: Case): Case['fault'] {
  if (fault.type !== 'status' || fault.retry_after === undefined) return fault
  return { ...fault, retry_after: Math.min(fault.retry_after, longestWaitSeconds) }
}

/** The sandbox's fault controls, on a socket of its data folder. */
async function control({ dataDir }: SoakWorld, method: string, rule?: object): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
  const socketPath = join(dataDir, 'chain/providers.sock')
  const asked = request({ socketPath, agent: false, method, path: '/' }, (response) => {
    response.resume().once('end', () => resolve(response.statusCode))
  })
  asked.once('error', reject).end(rule === undefined ? '' : JSON.stringify(rule))
  const status = await promise
  if (status !== 200) throw new Error(`The fault controls of the providers returned ${status}.`)
}
