import { isIP, SocketAddress } from 'node:net'

/**
 * The canonical form of an IPv4 or IPv6 address, without port, brackets or zone; an IPv4-mapped one becomes its IPv4
 * address. Null where the text is not an address.
 */
export function plainAddress(text: string): string | null {
  if (isIP(text) === 4) return text
  const bare = withoutPort(text.trim()).replace(/%.*$/, '')
  const version = isIP(bare)
  if (version !== 6) return version === 4 ? bare : null
  const { address } = new SocketAddress({ address: bare, family: 'ipv6' })
  return /^::ffff:([\d.]+)$/.exec(address)?.[1] ?? address
}

/** The network of one caller: an IPv4 address, or the /64 of an IPv6 one, in which a caller can choose any address. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address
  const [left = [], right = []] = address.split('::').map((half) => half.split(':').filter((group) => group !== ''))
  const zeros = address.includes('::') ? Array<string>(8 - left.length - right.length).fill('0') : []
  return `${[...left, ...zeros, ...right].slice(0, 4).join(':')}::/64`
}

/** True for loopback addresses and `localhost`, a reserved name; any other name may resolve to anything. */
export function isLoopback(host: string): boolean {
  const address = plainAddress(host)
  if (address === null) return /^localhost(:\d+)?$/i.test(host)
  return address === '::1' || (isIP(address) === 4 && address.startsWith('127.'))
}

/** True where browsers should use https alone: not for addresses and loopback names, which others may serve without it. */
export function isHttpsName(publicUrl: string | undefined): boolean {
  if (publicUrl === undefined) return false
  const { protocol, hostname } = new URL(publicUrl)
  return protocol === 'https:' && !isLoopback(hostname) && plainAddress(hostname) === null
}

/** Whether a Host header names this server. */
export type HostCheck = (header: string | undefined) => boolean

/**
 * Checks a Host header, so that a web page whose name was pointed at this server cannot read from it. IP addresses,
 * loopback names, no header at all and the given names pass; `*` among them passes every name. `refused` hears each other
 * name, without its port.
 */
export function hostCheck(names: readonly string[], refused: (name: string) => void = () => {}): HostCheck {
  const known = new Set(names.map((name) => name.toLowerCase()))
  return (header) => {
    if (header === undefined || header === '' || known.has('*')) return true
    const host = URL.parse(`http://${header}`)?.hostname.replace(/\.$/, '') ?? ''
    if (plainAddress(host) !== null || host === 'localhost' || host.endsWith('.localhost') || known.has(host))
      return true
    if (/^[\w.-]+$/.test(host)) refused(host)
    return false
  }
}

/** A host and port as in URLs and gRPC targets. */
export function authority(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** The address at which a caller on this machine reaches a listening host: a wildcard cannot be called. */
export function reachable(host: string): string {
  return host === '0.0.0.0' || plainAddress(host) === '::' ? '127.0.0.1' : host
}

function withoutPort(text: string): string {
  return /^\[(.*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
}
