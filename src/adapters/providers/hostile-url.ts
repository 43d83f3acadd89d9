import { lookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { Agent, type Dispatcher } from 'undici'
import { DomainError } from '../../domain/core/errors.ts'
import { isPublicAddress } from './public-addresses.ts'

/** An IP address of a host name. */
export type Resolved = { address: string; family: number }

/** How the host of a caller's URL is resolved and connected to. */
export type Network = {
  resolve(host: string): Promise<readonly Resolved[]>
  /** Connections to this IP address alone, whatever the host name. */
  pinned(to: Resolved): Dispatcher
}

/** The internet. */
export const internet: Network = {
  resolve: async (host) => await lookup(host, { all: true, verbatim: true }),
  pinned: (to) => new Agent({ connections: 1, connect: { timeout: 4_000, lookup: always(to) } }),
}

/**
 * Connections to the server of a URL that a caller chose: https alone, a host name that is resolved once, and only where
 * all its IP addresses are public. INVALID_ARGUMENT names `field` otherwise, but not the IP addresses.
 */
export async function dispatcherOf(url: URL, network: Network, field: string): Promise<Dispatcher> {
  const refused = (message: string) => refusal(field, message)
  if (url.protocol !== 'https:') throw refused('must be an https URL')
  if (url.username !== '' || url.password !== '') throw refused('must not contain a user or a password')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const family = isIP(host)
  const found = family === 0 ? await network.resolve(host).catch(() => []) : [{ address: host, family }]
  const [first] = found
  if (first === undefined) throw refused('has an unknown host name')
  if (!found.every(({ address }) => isPublicAddress(address)))
    throw refused('resolves to an IP address that is not public')
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
