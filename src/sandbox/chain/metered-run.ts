import type { Hex } from 'viem'
import type { Run } from '../engine/reads.ts'
import { isEngineUnavailable } from '../kit/rpc-error.ts'

/** What a run of a transaction returned, and the gas that it used: with that of the transaction itself, less refunds. */
export type MeteredRun = { output: Hex; gasUsed: number; failed: boolean }

/** Measures inside the engine, which stores nothing of the run. */
const meter = `{ fault: function () {},
  result: function (run) { return { output: toHex(run.output), gasUsed: run.gasUsed, failed: run.error !== undefined } } }`

/**
 * Runs a transaction with the parameters of `eth_call` and counts its gas. Undefined where the engine refuses to run it,
 * such as for want of funds.
 */
export async function meteredRun(run: Run, params: readonly unknown[]): Promise<MeteredRun | undefined> {
  const [transaction, block, stateOverrides, blockOverrides] = params
  const overrides = {
    ...(stateOverrides != null && { stateOverrides }),
    ...(blockOverrides != null && { blockOverrides }),
  }
  try {
    return (await run('debug_traceCall', [transaction, block, { tracer: meter, ...overrides }])) as MeteredRun
  } catch (error) {
    if (isEngineUnavailable(error)) throw error
    return undefined
  }
}
