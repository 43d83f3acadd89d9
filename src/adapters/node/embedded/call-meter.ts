import { invalid } from '../../../domain/core/errors.ts'

/** Requests a trace of one execution, or of all of a block, with these options. */
export type Trace = (options: object) => Promise<unknown>

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
export async function boundedTrace(trace: Trace, options: object): Promise<unknown> {
  const measured = [await trace({ ...options, tracer: meter, tracerConfig: {} })].flat()
  // Where the state is gone nothing can be counted, and anvil returns only a stored trace.
  if (measured.some((one) => isFull(one) || isFull((one as { result?: unknown }).result)))
    throw invalid('options.tracer', 'the execution makes too many calls, or passes them too much data, to be traced')
  return await trace(options)
}

function isFull(measured: unknown): boolean {
  return (measured as { full?: unknown } | undefined)?.full === true
}
