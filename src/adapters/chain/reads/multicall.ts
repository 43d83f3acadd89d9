import type { Hex } from 'viem'
import { multicallAbi } from './abis.ts'
import type { Connection } from './connection.ts'
import type { Reading } from './views.ts'

type Values<Readings extends readonly Reading<unknown>[]> = {
  -readonly [Key in keyof Readings]: Readings[Key] extends Reading<infer T> ? T | null : never
}

/**
 * Makes all reads in one `eth_call` at one block. A read that reverts, or whose result cannot be decoded, is null. A
 * node that fails rejects, so that a failure is never mistaken for an empty result.
 */
export async function readAll<const Readings extends readonly Reading<unknown>[]>(
  { client, deployment }: Connection,
  readings: Readings,
  blockNumber?: bigint,
): Promise<Values<Readings>> {
  const at = blockNumber === undefined ? {} : { blockNumber }
  if (readings.length === 0) return [] as unknown as Values<Readings>
  const results = await client.readContract({
    address: deployment.multicall3,
    abi: multicallAbi,
    functionName: 'aggregate3',
    args: [readings.map(({ target, callData }) => ({ target, callData, allowFailure: true }))],
    ...at,
  })
  const values = readings.map((read, index) => {
    const result = results[index]
    return result?.success === true ? decoded(read, result.returnData) : null
  })
  return values as Values<Readings>
}

function decoded<T>(read: Reading<T>, data: Hex): T | null {
  try {
    return read.decode(data)
  } catch {
    return null // no contract there, or a different one
  }
}
