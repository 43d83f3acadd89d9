import { DomainError, invalid } from '../../../domain/core/errors.ts'
import type { NodeObject } from '../../../domain/ports/node.ts'
import { isHash } from '../../../kit/hex.ts'
import type { Queues } from '../../async/queue.ts'
import { checkOverrides, type Overrides } from './overrides.ts'
import { type CollectedSteps, type StepOptions, type StepRoom, stepTracer, withCosts } from './step-tracer.ts'
import type { Call, Workaround } from './workaround.ts'

type Options = StepOptions & Overrides & { tracer?: string }

/** Gas limit of an execution and the gas that it used, where these are known from another source than its trace. */
type KnownGas = { gas?: unknown; gasUsed?: unknown }

/**
 * The most steps of a response, and the most words of stack, memory and storage in total. Anvil serves nothing else
 * while it collects them, and one step may contain a megabyte.
 */
const mostOfResponse: StepRoom = { steps: 10_000, words: 100_000 }

/** Workarounds for the trace methods. A caller's traces run one after another, since their results may be large. */
export function traceWorkarounds(queues: Queues<string>): Record<'transaction' | 'block' | 'call', Workaround> {
  const inTurn = <T>({ by }: Call, work: () => Promise<T>) => queues(by?.name ?? '', work)
  return {
    /** Anvil traces an unknown transaction as if it had succeeded. */
    transaction: async (call, [hash, given]) => {
      const options = (given ?? {}) as Options
      const transaction = (await call('eth_getTransactionByHash', [hash])) as NodeObject | null
      if (transaction === null || transaction.blockHash === null)
        throw new DomainError('NOT_FOUND', 'transaction not found: there is no such transaction in a block.')
      const { gasUsed } = (await call('eth_getTransactionReceipt', [hash])) as NodeObject
      const gas = { gas: transaction.gas, gasUsed }
      const trace: Trace = (traceOptions) => call('debug_traceTransaction', [hash, traceOptions])
      if (options.tracer !== undefined)
        return withGas(checkedState(await inTurn(call, () => boundedTrace(trace, options))), options, gas)
      return (await inTurn(call, () => stepsOf(trace, options, mostOfResponse, gas))).result
    },

    block: async (call, [block, given]) => {
      const options = (given ?? {}) as Options
      const { number, gas } = await blockToTrace(call, block)
      if (options.tracer === undefined) return await inTurn(call, () => stepsOfBlock(call, gas, options))
      const trace: Trace = (traceOptions) => call('debug_traceBlockByNumber', [number, traceOptions])
      const traces = (await inTurn(call, () => boundedTrace(trace, options))) as NodeObject[]
      return traces.map(({ result, txHash }) => ({ txHash, result: withGas(result, options, gas.get(txHash) ?? {}) }))
    },

    call: async (call, [transaction, block, given]) => {
      const options = (given ?? {}) as Options
      checkOverrides(options)
      const trace: Trace = (traceOptions) => call('debug_traceCall', [transaction, block, traceOptions])
      if (options.tracer !== undefined)
        return withGas(await inTurn(call, () => boundedTrace(trace, options)), options, transaction as NodeObject)
      const { tracer: _, ...overrides } = options
      const steps: Trace = (traceOptions) => trace({ ...overrides, ...traceOptions })
      return (await inTurn(call, () => stepsOf(steps, options, mostOfResponse))).result
    },
  }
}

async function blockToTrace(
  call: Call,
  block: unknown,
): Promise<{ number: string; gas: ReadonlyMap<unknown, KnownGas> }> {
  const found = await call(isHash(block) ? 'eth_getBlockByHash' : 'eth_getBlockByNumber', [block, true])
  if (found === null) throw new DomainError('NOT_FOUND', 'header not found: there is no such block.')
  const { number, hash, transactions } = found as { number: string; hash: string; transactions: NodeObject[] }
  if (BigInt(number) === 0n)
    throw new DomainError('NOT_FOUND', 'The first block cannot be traced: there is no state before it.')
  const receipts = (await call('eth_getBlockReceipts', [hash])) as NodeObject[]
  const used = new Map(receipts.map(({ transactionHash, gasUsed }) => [transactionHash, gasUsed]))
  return {
    number,
    gas: new Map(transactions.map((each) => [each.hash, { gas: each.gas, gasUsed: used.get(each.hash) }])),
  }
}

/**
 * Anvil leaves the intrinsic gas out of the root call, and adds the gas of all earlier transactions of the block to
 * what it used.
 */
function withGas(trace: unknown, { tracer }: Options, { gas, gasUsed }: KnownGas): unknown {
  if (tracer !== 'callTracer') return trace
  return { ...(trace as NodeObject), ...(gas !== undefined && { gas }), ...(gasUsed !== undefined && { gasUsed }) }
}

/** Anvil returns an empty trace where it no longer has the state. */
function checkedState(trace: unknown): unknown {
  const { structLogs } = trace as { structLogs?: unknown }
  if (structLogs === undefined) return trace
  throw new DomainError('NOT_FOUND', 'The state before this transaction is no longer stored.')
}

/** Transactions are traced one at a time: a trace that is stopped would leave a wrong state for the next ones. */
async function stepsOfBlock(call: Call, known: ReadonlyMap<unknown, KnownGas>, options: Options): Promise<unknown[]> {
  const results: unknown[] = []
  let room = mostOfResponse
  for (const [hash, gas] of known) {
    const trace: Trace = (traceOptions) => call('debug_traceTransaction', [hash, traceOptions])
    const { result, used } = await stepsOf(trace, options, room, gas)
    results.push({ txHash: hash, result })
    room = { steps: room.steps - used.steps, words: room.words - used.words }
  }
  return results
}

/** The requested steps of an execution. More than `room` words are refused. */
async function stepsOf(
  trace: Trace,
  options: Options,
  room: StepRoom,
  { gasUsed: used }: KnownGas = {},
): Promise<{ result: unknown; used: StepRoom }> {
  const limit = typeof options.limit === 'number' && options.limit > 0 ? options.limit : null
  const wanted = Math.min(limit ?? room.steps, room.steps)
  const tracer = stepTracer(options, { ...room, steps: wanted })
  const whole = (await boundedTrace(trace, { tracer: 'callTracer' })) as NodeObject
  const { gasUsed, output = '0x', error } = whole
  const found = checkedState(await trace({ tracer })) as CollectedSteps
  if (found.full || (found.steps.length > wanted && wanted !== limit))
    throw invalid(
      'options.limit',
      'the trace has too many steps, or they show too much; set a lower limit, leave memory, stack or storage out, or name a tracer such as callTracer',
    )
  const structLogs = withCosts(found.steps).slice(0, wanted)
  const result = {
    gas: Number(used ?? gasUsed),
    failed: error !== undefined,
    returnValue: output,
    structLogs,
  }
  return { result, used: { steps: structLogs.length, words: found.words } }
}

/** Requests a trace of one execution, or of all of a block, with these options. */
type Trace = (options: object) => Promise<unknown>

/**
 * The most calls of an execution, and the most bytes of their inputs and outputs. Anvil's own tracers copy each input,
 * so a cheap loop with a long input would exhaust the memory; and a trace of 20,000 calls would stop the event loop for a
 * third of a second. A transaction of the sandbox makes no more either.
 */
const most = { calls: 4_000, bytes: 2 * 1_048_576 }

/** The tracer script that counts them, and stops the execution when they are too many. */
const meter = `{ calls: 0, bytes: 0, full: false,
  take: function (bytes) {
    this.calls += 1;
    this.bytes += bytes;
    this.full = this.calls > ${2 * most.calls} || this.bytes > ${most.bytes};
  },
  enter: function (frame) {
    if (this.full) throw new Error('enough');
    this.take(frame.getInput().length);
  },
  exit: function (frame) { if (!this.full) this.take(frame.getOutput().length) },
  fault: function () {},
  result: function () { return { full: this.full } } }`

/** Runs a tracer. INVALID_ARGUMENT where anvil would have to store too much of the execution. */
async function boundedTrace(trace: Trace, options: object): Promise<unknown> {
  const measured = [await trace({ ...options, tracer: meter, tracerConfig: {} })].flat()
  // Where the state is gone nothing can be counted, and anvil returns only a stored trace.
  if (measured.some((one) => isFull(one) || isFull((one as { result?: unknown }).result)))
    throw invalid('options.tracer', 'the execution makes too many calls, or passes them too much data, to be traced')
  return await trace(options)
}

function isFull(measured: unknown): boolean {
  return (measured as { full?: unknown } | undefined)?.full === true
}
