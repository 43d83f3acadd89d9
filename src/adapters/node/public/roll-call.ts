import { DomainError } from '../../../domain/core/errors.ts'
import { httpNode, StatusError } from './http-node.ts'

/** How many nodes there are, and the hosts of those that did not answer, in order, with the status where it says why. */
export type RollCall = { total: number; silent: string[] }

/**
 * Asks every node at once whether it is there. Any answer of the node itself counts, be it that it does not know the
 * method or that it is asked too often; a bare status such as 401 is none. No host holds a key.
 */
export async function rollCall(addresses: readonly string[], timeoutMs = 5_000): Promise<RollCall> {
  const asked = await Promise.all(addresses.map((address) => silenceOf(address, timeoutMs)))
  return { total: addresses.length, silent: asked.filter((silence) => silence !== null) }
}

/** The host of a node that does not answer, and why; null for one that does. */
async function silenceOf(address: string, timeoutMs: number): Promise<string | null> {
  try {
    await httpNode(address, timeoutMs)('eth_chainId', [], new AbortController().signal)
    return null
  } catch (failure) {
    if (!(failure instanceof DomainError) || failure.code !== 'UNAVAILABLE') return null
    const { host } = new URL(address)
    return failure.cause instanceof StatusError ? `${host} (${failure.cause.message})` : host
  }
}
