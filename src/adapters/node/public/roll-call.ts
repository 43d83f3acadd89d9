import { DomainError } from '../../../domain/core/errors.ts'
import { neverAborts } from '../../../kit/values.ts'
import { httpNode, StatusError } from './http-node.ts'

/** The number of nodes, and the hosts of those that did not respond, with the HTTP status where there was one. */
export type RollCall = { total: number; silent: string[] }

/**
 * Calls every node concurrently to see whether it responds. Any JSON-RPC response counts, an error included; a bare
 * status does not, except 429. The hosts contain no key.
 */
export async function rollCall(addresses: readonly string[], timeoutMs = 5_000): Promise<RollCall> {
  const silences = await Promise.all(addresses.map((address) => silenceOf(address, timeoutMs)))
  return { total: addresses.length, silent: silences.filter((silence) => silence !== null) }
}

/** The host of a node that does not respond, and the reason; null for one that does. */
async function silenceOf(address: string, timeoutMs: number): Promise<string | null> {
  try {
    await httpNode(address, timeoutMs)('eth_chainId', [], neverAborts)
    return null
  } catch (failure) {
    if (!(failure instanceof DomainError) || failure.code !== 'UNAVAILABLE') return null
    const { host } = new URL(address)
    return failure.cause instanceof StatusError ? `${host} (${failure.cause.message})` : host
  }
}
