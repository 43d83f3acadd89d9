import type { Hex } from 'viem'
import type { Chain } from '../durable/chain.ts'
import { mostTracedGas } from '../durable/read-chain.ts'
import { CutOffError } from '../engine/side-engine.ts'
import { RpcError } from '../kit/rpc-error.ts'

/**
 * The engine keeps a copy of what each call of each transaction is handed, in its memory and in its snapshots. A loop
 * that hands a long message on costs a sender next to nothing, and would take all memory there is.
 */
const most = { calls: 4_000, bytes: 2 * 1_048_576 }

/** Gas with which no run can come near those bounds. */
const harmless = 30_000n

/** Counts in the engine, and stops the run once it is too much. */
const meter = `{ calls: 0, bytes: 0, full: false,
  enter: function (frame) {
    if (this.full) throw new Error('enough');
    this.calls += 1;
    this.bytes += frame.getInput().length;
    this.full = this.calls > ${most.calls} || this.bytes > ${most.bytes};
  },
  exit: function (frame) { this.bytes += frame.getOutput().length; this.full = this.full || this.bytes > ${most.bytes} },
  fault: function () {},
  result: function () { return { full: this.full } } }`

/** A transaction as the engine is to run it. */
type Run = { from: Hex; to?: Hex | null; gas: bigint; value: bigint; data?: Hex }

/** Refuses a transaction whose run, at the newest block, hands its calls more than the engine can keep. */
export async function demandModestCalls(chain: Chain, { from, to, gas, value, data }: Run): Promise<void> {
  if (gas <= harmless) return
  const call = { from, ...(to == null ? {} : { to }), value: hex(value), input: data ?? '0x' }
  // Most runs that are too much are so with little gas already, with which that is soon known.
  for (const each of gas > mostTracedGas ? [mostTracedGas, gas] : [gas])
    if (await isTooMuch(chain, { ...call, gas: hex(BigInt(each)) }, from))
      throw new RpcError(-32003, 'the run makes too many calls, or hands them too much, for this chain')
}

async function isTooMuch(chain: Chain, call: object, sender: Hex): Promise<boolean> {
  try {
    const answer = await chain.read('debug_traceCall', [call, 'latest', { tracer: meter }], sender)
    return (answer as { full?: unknown } | null)?.full === true
  } catch (error) {
    if (!(error instanceof CutOffError)) throw error
    throw new RpcError(-32003, 'the run takes too long for this chain to see whether it could keep it')
  }
}

function hex(value: bigint): Hex {
  return `0x${value.toString(16)}`
}
