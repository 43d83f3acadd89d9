import { Resolver } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { Agent, type Dispatcher } from 'undici'
import { DomainError } from '../../domain/core/errors.ts'
import { timeLimit } from '../../domain/core/time-limit.ts'
import { isPublicAddress } from './public-addresses.ts'

/** An IP address of a host name. */
export type Resolved = { address: string; family: number }

/** How the host of a caller's URL is resolved and connected to. */
export type Network = {
  /** The IP addresses of a host name, none where it has none or is not found in time. */
  resolve(host: string, signal: AbortSignal): Promise<readonly Resolved[]>
  /** Connections to this IP address alone, whatever the host name. */
  pinned(to: Resolved): Dispatcher
}

/** The longest look-up of a host name. */
const lookUpMs = 3_000

/** The internet, with the name servers of this machine or others. */
export function internet(nameServers: readonly string[] = []): Network {
  return {
    resolve: async (host, signal) => await lookUp(host, nameServers, AbortSignal.any([signal, timeLimit(lookUpMs)])),
    pinned: (to) => new Agent({ connections: 1, connect: { timeout: 4_000, lookup: always(to) } }),
  }
}

/** Asks name servers alone, without the few threads of `dns.lookup`: there a silent server would hold up all names. */
async function lookUp(host: string, nameServers: readonly string[], signal: AbortSignal): Promise<Resolved[]> {
  signal.throwIfAborted()
  const resolver = new Resolver({ timeout: 1_000, tries: 2 })
  if (nameServers.length > 0) resolver.setServers(nameServers)
  const cancel = () => resolver.cancel()
  signal.addEventListener('abort', cancel)
  try {
    const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    return [...addressesOf(four, 4), ...addressesOf(six, 6)]
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

function addressesOf(result: PromiseSettledResult<string[]>, family: number): Resolved[] {
  return result.status === 'fulfilled' ? result.value.map((address) => ({ address, family })) : []
}

/**
 * Connections to the server of a URL that a caller chose: https alone, a host name that is resolved once, and only where
 * all its IP addresses are public. INVALID_ARGUMENT names `field` otherwise. A name of an internal machine is refused like
 * one that does not exist, so that nobody learns which there are.
 */
export async function dispatcherOf(
  url: URL,
  network: Network,
  field: string,
  signal: AbortSignal,
): Promise<Dispatcher> {
  const refused = (message: string) => refusal(field, message)
  if (url.protocol !== 'https:') throw refused('must be an https URL')
  if (url.username !== '' || url.password !== '') throw refused('must not contain a user or a password')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const family = isIP(host)
  const found = family === 0 ? await network.resolve(host, signal) : [{ address: host, family }]
  const [first] = found
  if (first === undefined || !found.every(({ address }) => isPublicAddress(address)))
    throw refused('has a host without a public IP address')
  return network.pinned(first)
}

export function refusal(field: string, message: string): DomainError {
  const violations = [{ path: field, message, code: 'address' }]
  return new DomainError('INVALID_ARGUMENT', `${field}: ${message}`, { violations })
}

function always({ address, family }: Resolved): LookupFunction {
  return (_host, options, callback) => {
    if (options.all === true) callback(null, [{ address, family }])
    else callback(null, address, family)
  }
}
