import { setTimeout as sleep } from 'node:timers/promises'
import type { Gateway } from '../../test/gateway-process.ts'
import { asOperator } from '../../test/operator-token.ts'
import { shareWork } from './turns.ts'

/** What one thing costs a gateway: its processor, the statements and commits of its database. */
export type Reading = { cpuMs: number; statements: number; commits: number; heldMs: number }

/** Callers at once. */
export const callers = 8

const callsOfRound = 400
/** How long the gateway is measured idle before the calls of a round. */
const idlesMs = 2_000

/** The cost of one call. */
export async function callsOf(gateway: Gateway, call: () => Promise<unknown>, calls = callsOfRound): Promise<Reading> {
  return await costOf(gateway, calls, idlesMs, () => shareWork(calls, callers, call))
}

/** What each of `count` things costs beyond what the gateway uses idle, measured right before. */
export async function costOf(
  gateway: Gateway,
  count: number,
  idlesMs: number,
  act: () => Promise<void>,
): Promise<Reading> {
  const first = await reading(gateway)
  const began = performance.now()
  await sleep(idlesMs)
  const idle = await reading(gateway)
  const idled = performance.now() - began
  await act()
  const last = await reading(gateway)
  const share = (performance.now() - began - idled) / idled
  const cost = (key: keyof Reading) => Math.max(0, last[key] - idle[key] - share * (idle[key] - first[key])) / count
  return { cpuMs: cost('cpuMs'), statements: cost('statements'), commits: cost('commits'), heldMs: cost('heldMs') }
}

async function reading(gateway: Gateway): Promise<Reading> {
  const text = await (await fetch(`${gateway.urls.http}/metrics`, { headers: asOperator })).text()
  const value = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
  return {
    cpuMs: gateway.processorMs(),
    statements: value('trident_storage_statements_total'),
    commits: value('trident_storage_commit_seconds_count'),
    heldMs: 1_000 * value('trident_storage_commit_held_seconds_total'),
  }
}
