import type { NodeCaller } from '../../domain/ports/node.ts'
import { blockGasLimit } from '../engine/engine.ts'
import type { Run } from '../engine/reads.ts'
import { CutOffError } from '../engine/side-engine.ts'
import { estimateGas } from './estimate-gas.ts'
import { meteredRun } from './metered-run.ts'

/** A read with no more gas counts like any other request, so that its gas is not measured. */
const cheapGas = 1_000_000

/** What a millisecond of a run counts as where its gas is not known: of a trace, and of one that failed. */
const gasOfMillisecond = 50_000

/** Methods that tell their gas, also where they fail. */
const tellsGas: ReadonlySet<string> = new Set(['eth_call', 'eth_estimateGas'])

/** Runs the code of a read, and tells its caller the gas that it used. */
export async function runCode(
  run: Run,
  method: string,
  params: readonly unknown[],
  caller: NodeCaller | undefined,
): Promise<unknown> {
  const begun = performance.now()
  const spentTime = () => caller?.spent(Math.min(blockGasLimit, (performance.now() - begun) * gasOfMillisecond))
  try {
    const result = await resultOf(run, method, params, caller?.spent)
    // A trace takes time for what it shows, besides the gas of its run.
    if (method.startsWith('debug_')) spentTime()
    return result
  } catch (error) {
    if (error instanceof CutOffError || !tellsGas.has(method)) spentTime()
    throw error
  }
}

async function resultOf(
  run: Run,
  method: string,
  params: readonly unknown[],
  spent: NodeCaller['spent'] | undefined,
): Promise<unknown> {
  if (method === 'eth_estimateGas') return await estimateGas(run, params, blockGasLimit, spent)
  if (method === 'eth_call' && spent !== undefined) return await measuredCall(run, params, spent)
  const result = await run(method, params)
  if (method === 'eth_createAccessList') spent?.(gasIn([result]))
  if (method === 'eth_simulateV1') spent?.(gasIn(result as unknown[]))
  return result
}

async function measuredCall(run: Run, params: readonly unknown[], spent: NodeCaller['spent']): Promise<unknown> {
  const { gas } = params[0] as { gas?: string }
  if (Number(gas ?? Number.POSITIVE_INFINITY) <= cheapGas) return await run('eth_call', params)
  const measured = await meteredRun(run, params)
  spent(measured?.gasUsed ?? 0)
  // A plain call has the error of one that fails, with the reason of a revert.
  return measured === undefined || measured.failed ? await run('eth_call', params) : measured.output
}

/** The gas of an access list, or of simulated blocks together. */
function gasIn(results: readonly unknown[]): number {
  return results.reduce<number>((sum, one) => sum + Number((one as { gasUsed: string }).gasUsed), 0)
}
