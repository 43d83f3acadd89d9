import type { Hex } from 'viem'
import { quantityOf } from '../../kit/hex.ts'
import type { Chain } from '../chain/chain.ts'
import { maxTracedGas } from '../chain/read-chain.ts'
import { CutOffError } from '../engine/side-engine.ts'
import { RpcError } from '../kit/rpc-error.ts'

/**
 * The engine stores the input of every call of every transaction, in memory and in snapshots. A loop that passes on a
 * long message costs its sender almost nothing and would use up all memory.
 */
const limits = { calls: 4_000, bytes: 2 * 1_048_576 }

/** With no more gas than this a run cannot reach the limits. */
const harmlessGas = 30_000n

/** A tracer that counts inside the engine and aborts the run beyond the limits. */
const meter = `{ calls: 0, bytes: 0, full: false,
  enter: function (frame) {
    if (this.full) throw new Error('enough');
    this.calls += 1;
    this.bytes += frame.getInput().length;
    this.full = this.calls > ${limits.calls} || this.bytes > ${limits.bytes};
  },
  exit: function (frame) { this.bytes += frame.getOutput().length; this.full = this.full || this.bytes > ${limits.bytes} },
  fault: function () {},
  result: function () { return { full: this.full } } }`

/** The fields of a transaction that decide its run. */
type Run = { from: Hex; to?: Hex | null; gas: bigint; value: bigint; data?: Hex }

/** Throws RpcError for a transaction whose run at the newest block makes too many calls or passes too much data. */
export async function demandModestCalls(chain: Chain, { from, to, gas, value, data }: Run): Promise<void> {
  if (gas <= harmlessGas) return
  const call = { from, ...(to == null ? {} : { to }), value: quantityOf(value), input: data ?? '0x' }
  // Most excessive runs exceed the limits with little gas already, which takes little time to find out.
  for (const each of gas > maxTracedGas ? [maxTracedGas, gas] : [gas])
    if (await isTooMuch(chain, { ...call, gas: quantityOf(BigInt(each)) }, from))
      throw new RpcError(-32003, 'the transaction makes too many calls, or passes them too much data, for this chain')
}

async function isTooMuch(chain: Chain, call: object, sender: Hex): Promise<boolean> {
  try {
    const trace = await chain.read('debug_traceCall', [call, 'latest', { tracer: meter }], { sender })
    return (trace as { full?: unknown } | null)?.full === true
  } catch (error) {
    if (!(error instanceof CutOffError)) throw error
    throw new RpcError(-32003, 'the transaction takes too long to run: try again with less gas')
  }
}
