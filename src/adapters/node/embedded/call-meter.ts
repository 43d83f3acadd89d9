import { invalid } from '../../../domain/core/errors.ts'

/** Requests a trace of one execution, or of all of a block, with these options. */
export type Trace = (options: object) => Promise<unknown>

/**
 * Most calls of an execution, and most bytes of their inputs and outputs. Anvil's own tracers keep a copy of each
 * input, so that a cheap loop with a long input would take all memory.
 */
const most = { calls: 20_000, bytes: 8 * 1_048_576 }

/** The tracer script that counts them, and stops the execution once they are too many. */
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

/** A trace by a tracer; INVALID_ARGUMENT where anvil would keep too much of the execution for it. */
export async function boundedTrace(trace: Trace, options: object): Promise<unknown> {
  const measured = [await trace({ ...options, tracer: meter, tracerConfig: {} })].flat()
  // Where the state is gone nothing is measured, and anvil returns only what it stored of the execution.
  if (measured.some((one) => isFull(one) || isFull((one as { result?: unknown }).result)))
    throw invalid('options.tracer', 'the execution makes too many calls, or passes them too much data, to be traced')
  return await trace(options)
}

function isFull(measured: unknown): boolean {
  return (measured as { full?: unknown } | undefined)?.full === true
}
