import { Resolver } from 'node:dns/promises'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { Agent, type Dispatcher } from 'undici'
import { DomainError } from '../../domain/core/errors.ts'
import { timeLimit } from '../../kit/time-limit.ts'

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

const reserved = new BlockList()
const networks: readonly [string, number, 'ipv4' | 'ipv6'][] = [
  ['0.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['168.63.129.16', 32, 'ipv4'], // a cloud's metadata service, at an address that looks public
  ['169.254.0.0', 16, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.0.0.0', 24, 'ipv4'],
  ['192.0.2.0', 24, 'ipv4'],
  ['192.88.99.0', 24, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['198.18.0.0', 15, 'ipv4'],
  ['198.51.100.0', 24, 'ipv4'],
  ['203.0.113.0', 24, 'ipv4'],
  ['224.0.0.0', 3, 'ipv4'],
  ['2001::', 23, 'ipv6'],
  ['2001:db8::', 32, 'ipv6'],
  ['2002::', 16, 'ipv6'],
  ['3fff::', 20, 'ipv6'],
]
for (const [network, bits, family] of networks) reserved.addSubnet(network, bits, family)

/** The range of public IPv6 addresses. Addresses that embed an IPv4 address, such as ::ffff:10.0.0.1, are outside. */
const global = new BlockList()
global.addSubnet('2000::', 3, 'ipv6')

/** True of an address on the public internet: not of this machine, its network or its cloud. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !reserved.check(address, 'ipv4')
  return family === 6 && global.check(address, 'ipv6') && !reserved.check(address, 'ipv6')
}
