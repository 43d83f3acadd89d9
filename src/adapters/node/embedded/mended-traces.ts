import { DomainError, invalid } from '../../../domain/core/errors.ts'
import type { NodeObject } from '../../../domain/ports/node.ts'
import { type Assumptions, assumable } from './assumptions.ts'
import { modestTrace, type Trace } from './call-meter.ts'
import type { Lane } from './lane.ts'
import type { Ask, Mend } from './mend.ts'
import { type Collected, type StepOptions, type StepRoom, stepTracer, withCosts } from './step-tracer.ts'

type Options = StepOptions & Assumptions & { tracer?: string }

/** Gas that a run might use, and that it used, where that is known otherwise than by its trace. */
type RunGas = { gas?: unknown; gasUsed?: unknown }

/**
 * Most steps of an answer, and most words of stack, memory and storage that they show together: while it collects them
 * the engine does nothing else, and a step may show a megabyte.
 */
const mostOfAnswer: StepRoom = { steps: 10_000, words: 200_000 }

/** Traces as the engine should answer them. Those that keep it busy step by step go through the lane. */
export function tracing(lane: Lane): Record<'transaction' | 'block' | 'call', Mend> {
  /** Whatever little they show, the engine keeps all calls of a run for its tracers. */
  const traced = async (trace: Trace, options: Options) => await lane(() => modestTrace(trace, options))

  return {
    /** The engine traces a transaction it does not know as if that had succeeded. */
    transaction: async (ask, [hash, given]) => {
      const options = (given ?? {}) as Options
      const transaction = (await ask('eth_getTransactionByHash', [hash])) as NodeObject | null
      if (transaction === null || transaction.blockHash === null)
        throw new DomainError('NOT_FOUND', 'transaction not found: there is no such transaction in a block.')
      const { gasUsed } = (await ask('eth_getTransactionReceipt', [hash])) as NodeObject
      const gas = { gas: transaction.gas, gasUsed }
      const trace: Trace = (asked) => ask('debug_traceTransaction', [hash, asked])
      if (options.tracer !== undefined) return mended(kept(await traced(trace, options)), options, gas)
      return (await lane(() => stepsOf(trace, options, mostOfAnswer, gas))).answer
    },

    block: async (ask, [block, given]) => {
      const options = (given ?? {}) as Options
      const { number, gas } = await blockToTrace(ask, block)
      if (options.tracer === undefined) return await lane(() => stepsOfBlock(ask, gas, options))
      const trace: Trace = (asked) => ask('debug_traceBlockByNumber', [number, asked])
      const traces = (await traced(trace, options)) as NodeObject[]
      return traces.map(({ result, txHash }) => ({ txHash, result: mended(result, options, gas.get(txHash) ?? {}) }))
    },

    call: async (ask, [call, block, given]) => {
      const options = (given ?? {}) as Options
      assumable(options)
      const trace: Trace = (asked) => ask('debug_traceCall', [call, block, asked])
      if (options.tracer !== undefined) return mended(await traced(trace, options), options, call as NodeObject)
      const { tracer: _, ...assumed } = options
      const steps: Trace = (asked) => trace({ ...assumed, ...asked })
      return (await lane(() => stepsOf(steps, options, mostOfAnswer))).answer
    },
  }
}

async function blockToTrace(ask: Ask, block: unknown): Promise<{ number: string; gas: ReadonlyMap<unknown, RunGas> }> {
  const found = await ask('eth_getBlockByNumber', [block, true])
  if (found === null) throw new DomainError('NOT_FOUND', 'header not found: there is no such block.')
  const { number, hash, transactions } = found as { number: string; hash: string; transactions: NodeObject[] }
  if (BigInt(number) === 0n) throw new DomainError('NOT_FOUND', 'The first block has nothing before it to be run on.')
  const receipts = (await ask('eth_getBlockReceipts', [{ blockHash: hash }])) as NodeObject[]
  const used = new Map(receipts.map(({ transactionHash, gasUsed }) => [transactionHash, gasUsed]))
  return { number, gas: new Map(transactions.map((run) => [run.hash, { gas: run.gas, gasUsed: used.get(run.hash) }])) }
}

/**
 * The engine leaves the gas that a transaction costs before it runs out of the root call, and counts to what it used
 * the gas of all transactions before it in its block.
 */
function mended(trace: unknown, { tracer }: Options, { gas, gasUsed }: RunGas): unknown {
  if (tracer !== 'callTracer') return trace
  return { ...(trace as NodeObject), ...(gas !== undefined && { gas }), ...(gasUsed !== undefined && { gasUsed }) }
}

/** The engine answers an empty trace where it no longer has the state. */
function kept(answer: unknown): unknown {
  const { structLogs } = answer as { structLogs?: unknown }
  if (structLogs === undefined) return answer
  throw new DomainError('NOT_FOUND', 'The state before this transaction is no longer kept.')
}

/** One transaction after the other, since a run that is stopped would leave the next ones a wrong state. */
async function stepsOfBlock(ask: Ask, runs: ReadonlyMap<unknown, RunGas>, options: Options): Promise<unknown[]> {
  const results: unknown[] = []
  let left = mostOfAnswer
  for (const [hash, gas] of runs) {
    const trace: Trace = (asked) => ask('debug_traceTransaction', [hash, asked])
    const { answer, used } = await stepsOf(trace, options, left, gas)
    results.push({ txHash: hash, result: answer })
    left = { steps: left.steps - used.steps, words: left.words - used.words }
  }
  return results
}

/** The steps of a run, as many as are asked for. More than there is `room` for are refused. */
async function stepsOf(
  trace: Trace,
  options: Options,
  room: StepRoom,
  known: RunGas = {},
): Promise<{ answer: unknown; used: StepRoom }> {
  const limit = typeof options.limit === 'number' && options.limit > 0 ? options.limit : null
  const wanted = Math.min(limit ?? room.steps, room.steps)
  const found = kept(await trace({ tracer: stepTracer(options, { ...room, steps: wanted }) })) as Collected
  if (found.full || (found.steps.length > wanted && wanted !== limit))
    throw invalid(
      'options.limit',
      'the trace has too many steps, or they show too much; set a lower limit, leave memory, stack or storage out, or name a tracer such as callTracer',
    )
  const { gasUsed, output = '0x', error } = (await modestTrace(trace, { tracer: 'callTracer' })) as NodeObject
  const structLogs = withCosts(found.steps).slice(0, wanted)
  const answer = { gas: Number(known.gasUsed ?? gasUsed), failed: error !== undefined, returnValue: output, structLogs }
  return { answer, used: { steps: structLogs.length, words: found.words } }
}
