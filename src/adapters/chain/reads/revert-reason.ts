import { type Hex, isHex } from 'viem'
import { isSilence } from '../../node/errors/failures.ts'
import { adviceFor, isBelowMinimum, reasonOf, revertOf } from '../../node/errors/reverts.ts'
import type { Connection } from './connection.ts'

/**
 * Why a mined transaction reverted: from its trace where the node has traces, else by simulating it on the state before
 * its block. That state differs where earlier transactions of the block affected it.
 */
export async function revertReason(
  connection: Connection,
  hash: Hex,
): Promise<{ reason: string; advice: string; belowMinimum: boolean }> {
  const reason = (await traced(connection, hash)) ?? (await replayed(connection, hash))
  if (reason === null) {
    const advice = 'Request a new quote and try again.'
    return { reason: 'the node no longer has the reason', advice, belowMinimum: false }
  }
  return { reason, advice: adviceFor(reason, { funded: false }), belowMinimum: isBelowMinimum(reason) }
}

async function traced({ call }: Connection, hash: Hex): Promise<string | null> {
  try {
    const trace = await call('debug_traceTransaction', [hash, { tracer: 'callTracer' }])
    const { output, error } = (trace ?? {}) as { output?: unknown; error?: unknown }
    if (typeof error !== 'string') return null
    if (isHex(output) && output !== '0x') return reasonOf(output)
    return /out of ?gas/i.test(error) ? 'out of gas' : reasonOf('0x')
  } catch (error) {
    if (isSilence(error)) throw error
    return null
  }
}

async function replayed({ client }: Connection, hash: Hex): Promise<string | null> {
  const { from, to, input, value, gas, blockNumber } = await client.getTransaction({ hash })
  if (to === null || blockNumber === null) return null
  try {
    await client.call({ account: from, to, data: input, value, gas, blockNumber: blockNumber - 1n })
    return 'an earlier transaction of the same block changed the pools'
  } catch (error) {
    if (isSilence(error)) throw error
    return revertOf(error)
  }
}
