import { setTimeout as sleep } from 'node:timers/promises'
import { DomainError } from '../../../domain/core/errors.ts'
import { neverAborts } from '../../../kit/values.ts'
import { httpNode, StatusError } from './http-node.ts'
import { shownHost } from './shown-host.ts'

/** The number of nodes, and the hosts of those that did not respond, with the HTTP status where there was one. */
export type RollCall = { total: number; silent: string[] }

/** How long the others are waited for once one has responded: a node that hangs must not delay a start. */
const othersMs = 600

/**
 * Calls every node concurrently to see whether it responds. Any JSON-RPC response counts, an error included; a bare
 * status does not, except 429. The hosts contain no key.
 */
export async function rollCall(addresses: readonly string[], timeoutMs = 5_000): Promise<RollCall> {
  const calls = addresses.map((address) => silenceOf(address, timeoutMs))
  const responds = (call: Promise<string | null>) => call.then((silence) => silence === null || Promise.reject())
  const all = Promise.allSettled(calls)
  await Promise.race([
    all,
    Promise.any(calls.map(responds)).then(
      () => sleep(othersMs, undefined, { ref: false }),
      () => all,
    ),
  ])
  const silences = await Promise.all(
    calls.map((call, index) => Promise.race([call, Promise.resolve(hostOf(addresses[index] ?? ''))])),
  )
  return { total: addresses.length, silent: silences.filter((silence) => silence !== null) }
}

/** The shown part of the host, and the port. */
function hostOf(address: string): string {
  const { hostname, port } = new URL(address)
  return port === '' ? shownHost(hostname) : `${shownHost(hostname)}:${port}`
}

/** The host of a node that does not respond, and the reason; null for one that does. */
async function silenceOf(address: string, timeoutMs: number): Promise<string | null> {
  try {
    await httpNode(address, timeoutMs)('eth_chainId', [], neverAborts)
    return null
  } catch (failure) {
    if (!(failure instanceof DomainError) || failure.code !== 'UNAVAILABLE') return null
    const host = hostOf(address)
    return failure.cause instanceof StatusError ? `${host} (${failure.cause.message})` : host
  }
}
