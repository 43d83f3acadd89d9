import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { rpc } from '../clients/rpc-call.ts'
import { askEngine, type EmbeddedChain } from '../engine.ts'
import type { Crowd } from './subscribers.ts'
import { isComplete, tallyOf, truthOf } from './tally.ts'

/** A chain of a data folder. */
export type Place = [dataDir: string, chain: EmbeddedChain]

/**
 * Waits until the subscribers have received everything, and compares it with the engine's blocks, and with their logs
 * where the headers confirm them.
 */
export async function compareReceived(url: string, [dataDir, chain]: Place, crowd: Crowd) {
  // An engine that was started from a snapshot lacks very old blocks, and the logs of those before the snapshot.
  const ask = async (method: string, ...params: unknown[]) => {
    const found = method === 'eth_getLogs' ? null : await askEngine(dataDir, method, params, chain)
    return found ?? (await rpc(url, method, ...params)).result
  }
  const first =
    1 + Math.max(...crowd.all.flatMap(({ heads, logs }) => [heads[0]?.number, logs[0]?.blockNumber].map(Number)))
  let truth = await truthOf(ask, first)
  await until(
    async () => {
      truth = await truthOf(ask, first)
      await sleep(300)
      return isComplete(crowd.all, truth)
    },
    'every subscriber',
    20_000,
  ).catch(() => undefined)
  const last = Number(truth.heads.at(-1)?.number)
  const upTo = crowd.all.map((one) => ({
    ...one,
    heads: one.heads.filter(({ number }) => Number(number) <= last),
    logs: one.logs.filter(({ blockNumber }) => Number(blockNumber) <= last),
  }))
  return { ...tallyOf(upTo, truth), unproven: truth.unproven }
}
