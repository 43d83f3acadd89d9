import { type Hex, numberToHex, zeroAddress } from 'viem'
import type { NodeCaller } from '../../domain/ports/node.ts'
import { blockGasLimit } from '../engine/engine.ts'
import type { Run } from '../engine/reads.ts'
import { CutOffError } from '../engine/side-engine.ts'
import { isEngineUnavailable, RpcError } from '../kit/rpc-error.ts'

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

/** No estimate takes more runs. */
export const mostRuns = 16

/** How the engine says that a run had too little gas, to begin or to end. */
const outOfGas = /OutOfGas|OOG|CallGasCostMoreThanGasLimit|GasFloorMoreThanGasLimit/

/** How far an estimate may be above the least gas with which the transaction succeeds. */
const tolerance = 0.03

/** The gas that a call with value passes on for nothing, and a transfer's. */
const stipend = 2_300
const bareTransfer = 21_000n

type Transaction = { from?: Hex; value?: Hex; gas?: Hex; gasPrice?: Hex; maxFeePerGas?: Hex }

/**
 * Estimates the gas of a transaction, with the parameters of `eth_estimateGas`: a run with all gas that it may have shows
 * what it uses. It needs more where a call passes on 63/64 of the gas only, or where gas is refunded at its end; so greater
 * bounds are tried, and the gap between the last that fails and the first that works is halved. Throws RpcError as
 * `eth_call` does where the transaction fails with all gas. `spent` is told the gas of each run.
 */
export async function estimateGas(
  run: Run,
  given: readonly unknown[],
  blockGas: number,
  spent: NodeCaller['spent'] = () => undefined,
): Promise<Hex> {
  const params = withPayer(given)
  let runs = 0
  const counted: Run = async (...call) => {
    runs += 1
    return await run(...call)
  }
  const most = await mostGas(run, params, blockGas)
  const whole = await succeeding(counted, params, most, spent)
  const measure = async (gas: number) => {
    const ran = await meteredRun(counted, withGas(params, gas))
    spent(ran?.gasUsed ?? 0)
    return ran
  }
  const exact = await measure(whole.gasUsed)
  if (exact !== undefined && !exact.failed && exact.gasUsed === whole.gasUsed) return numberToHex(whole.gasUsed)
  const found = { fails: whole.gasUsed, works: most }
  const attempt = async (gas: number) => {
    const ran = await measure(gas)
    found[ran === undefined || ran.failed ? 'fails' : 'works'] = gas
  }
  for (const bound of boundsFor(whole.gasUsed)) if (found.works === most && bound < most) await attempt(bound)
  while (found.works - found.fails > found.works * tolerance && runs < mostRuns)
    await attempt(Math.ceil((found.works + found.fails) / 2))
  return numberToHex(found.works)
}

/** Bounds for a transaction that used so much gas, the likeliest first. */
function boundsFor(used: number): number[] {
  const passedOn = (gas: number) => Math.ceil(((gas + stipend) * 64) / 63)
  return [passedOn(used), passedOn(1.25 * used), ...[2, 4, 16].map((times) => Math.ceil(times * used))]
}

function withGas(params: readonly unknown[], gas: number): unknown[] {
  return params.with(0, { ...(params[0] as Transaction), gas: numberToHex(gas) })
}

/** A transaction that names no sender pays with nobody's money: its value is there. */
function withPayer(params: readonly unknown[]): readonly unknown[] {
  const { from, value } = params[0] as Transaction
  if (from != null || BigInt(value ?? 0) === 0n) return params
  const [transaction, block, overrides, ...rest] = params
  return [transaction, block, { [zeroAddress]: { balance: value }, ...(overrides as object | undefined) }, ...rest]
}

/** The gas that a transaction may have: what it names, and what its sender can pay for. */
async function mostGas(run: Run, params: readonly unknown[], blockGas: number): Promise<number> {
  const { from, value, gas, gasPrice, maxFeePerGas } = params[0] as Transaction
  const named = gas == null ? blockGas : Number(gas)
  const price = BigInt(gasPrice ?? maxFeePerGas ?? 0)
  if (from == null || price === 0n) return named
  const overrides = (params[2] ?? {}) as Record<string, { balance?: Hex }>
  const [, overridden] = Object.entries(overrides).find(([at]) => at.toLowerCase() === from.toLowerCase()) ?? []
  const balance = BigInt(overridden?.balance ?? ((await run('eth_getBalance', [from, params[1]])) as Hex))
  const payable = (balance - BigInt(value ?? 0)) / price
  // With no gas at all the run itself is refused, for want of funds.
  return payable < bareTransfer ? named : Math.min(named, Number(payable))
}

/** The run with all gas. Where it fails a plain call has the error, with the reason of a revert. */
async function succeeding(
  run: Run,
  params: readonly unknown[],
  most: number,
  spent: NodeCaller['spent'],
): Promise<MeteredRun> {
  const all = withGas(params, most)
  const whole = await meteredRun(run, all)
  spent(whole?.gasUsed ?? 0)
  if (whole !== undefined && !whole.failed) return whole
  try {
    await run('eth_call', all)
  } catch (error) {
    if (!(error instanceof RpcError) || !outOfGas.test(error.message)) throw error
    throw new RpcError(-32000, `gas required exceeds allowance (${most})`, {}, { cause: error })
  }
  throw new RpcError(-32000, 'the gas of the transaction cannot be measured: it behaves differently at each run')
}

/** What a run of a transaction returned, and the gas that it used: with that of the transaction itself, less refunds. */
type MeteredRun = { output: Hex; gasUsed: number; failed: boolean }

/** Measures inside the engine, which stores nothing of the run. */
const meter = `{ fault: function () {},
  result: function (run) { return { output: toHex(run.output), gasUsed: run.gasUsed, failed: run.error !== undefined } } }`

/**
 * Runs a transaction with the parameters of `eth_call` and counts its gas. Undefined where the engine refuses to run it,
 * such as for want of funds.
 */
async function meteredRun(run: Run, params: readonly unknown[]): Promise<MeteredRun | undefined> {
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
