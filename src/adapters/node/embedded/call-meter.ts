import { invalid } from '../../../domain/core/errors.ts'

/** Asks the engine for a trace of one run, or of all runs of a block, with these options. */
export type Trace = (options: object) => Promise<unknown>

/**
 * Most calls of a run, and most bytes that are handed to them and back. The engine's own tracer keeps a copy of what
 * each call is handed, so that a cheap loop over a long message would take all memory there is.
 */
const most = { calls: 20_000, bytes: 8 * 1_048_576 }

/** The script that counts them, and lets no call run any more once they are too many. */
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

/** What a tracer shows of a run, refused where the engine would keep too much of the run for it. */
export async function modestTrace(trace: Trace, options: object): Promise<unknown> {
  const measured = [await trace({ ...options, tracer: meter, tracerConfig: {} })].flat()
  // Where the state is gone nothing is measured: what the engine still knows of the run it has kept since then.
  if (measured.some((one) => isFull(one) || isFull((one as { result?: unknown }).result)))
    throw invalid('options.tracer', 'the run makes too many calls, or hands them too much, to be traced')
  return await trace(options)
}

function isFull(measured: unknown): boolean {
  return (measured as { full?: unknown } | undefined)?.full === true
}
