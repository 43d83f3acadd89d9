import { DomainError } from '../../../domain/errors.ts'
import type { NodeObject } from '../../../domain/ports/node.ts'
import type { Ask, Mend } from './mended-engine.ts'
import { type StepOptions, stepsOf, stepTracer } from './step-tracer.ts'

type Options = StepOptions & { tracer?: string }

/** The engine traces a transaction it does not know as if that had succeeded. */
export const traceTransaction: Mend = async (ask, [hash, given], method) => {
  const transaction = (await ask('eth_getTransactionByHash', [hash])) as NodeObject | null
  if (transaction === null || transaction.blockHash === null)
    throw new DomainError('NOT_FOUND', 'transaction not found: there is no such transaction in a block.')
  const options = understood(given)
  const trace = await ask(method, [hash, engineOptions(options)])
  if (isMissing(trace)) throw new DomainError('NOT_FOUND', 'The state before this transaction is no longer kept.')
  return mended(trace, options, transaction.gas)
}

/** The traces of a block's transactions, each as it would be alone. */
export const traceBlock: Mend = async (ask, [block, given], method) => {
  const options = understood(given)
  const traces = (await ask(method, [block, engineOptions(options)])) as { result: unknown; txHash: string }[]
  const gas = options.tracer === 'callTracer' ? await gasLimits(ask, block) : new Map<unknown, unknown>()
  return traces.map(({ result, txHash }) => ({ txHash, result: mended(result, options, gas.get(txHash)) }))
}

/** The engine itself tells the steps of a call. */
export const traceCall: Mend = async (ask, [call, block, given], method) => {
  const options = understood(given)
  const trace = await ask(method, [call, block, options])
  return options.tracer === undefined ? trace : mended(trace, options, (call as NodeObject).gas)
}

function understood(given: unknown): Options {
  const options = (given ?? {}) as Options
  if (options.tracer !== 'flatCallTracer' && options.tracer !== 'muxTracer') return options
  throw new DomainError('UNIMPLEMENTED', `The embedded chain has no ${options.tracer}; ask for callTracer.`)
}

/** Without a tracer of its name the steps are asked for, which the engine keeps only where a script collects them. */
function engineOptions(options: Options): Options {
  return options.tracer === undefined ? { tracer: stepTracer(options) } : options
}

/** The engine leaves the gas that a transaction costs before it runs out of the root call. */
function mended(trace: unknown, { tracer }: Options, gas: unknown): unknown {
  if (tracer === undefined) return stepsOf(trace)
  return tracer === 'callTracer' && gas !== undefined ? { ...(trace as NodeObject), gas } : trace
}

function isMissing(trace: unknown): boolean {
  const { structLogs, gas } = (trace ?? {}) as { structLogs?: unknown[]; gas?: unknown }
  return structLogs?.length === 0 && gas === 0
}

async function gasLimits(ask: Ask, block: unknown): Promise<Map<unknown, unknown>> {
  const whole = (await ask('eth_getBlockByNumber', [block, true])) as { transactions: NodeObject[] } | null
  return new Map(whole?.transactions.map(({ hash, gas }) => [hash, gas]))
}
