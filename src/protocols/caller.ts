import { createHash, randomUUID, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import { bounds, type Tier } from '../contract/shared/limits.ts'
import type { Caller } from '../gateway/request.ts'
import { networkOf, plainAddress } from './address.ts'
import { isOfOtherSite } from './cors.ts'

/** Where a request comes from, as far as a protocol knows; `header` takes lower-case names. */
export type Origin = { peer: string | undefined; header(name: string): string | undefined }

type CallerRules = {
  isProxy: IsProxy
  /** Keys that callers may send as x-api-key. */
  apiKeys?: readonly ConfiguredKey[]
  /** Origins of web pages that may call. */
  origins?: readonly string[]
}

export type Callers = {
  of(origin: Origin, facts: Pick<Caller, 'protocol' | 'requestId' | 'signal'>): Caller
  ofHttp(request: IncomingMessage, facts: Pick<Caller, 'protocol' | 'requestId' | 'signal'>): Caller
  /** The client address alone, for requests that are limited but are not operations. */
  addressOfHttp(request: IncomingMessage): string
}

/** Builds callers from requests. */
export function createCallers(rules: CallerRules): Callers {
  const { isProxy, origins = [] } = rules
  const apiKeyOf = apiKeyReader(rules.apiKeys ?? [])

  const callers: Callers = {
    of: (origin, facts) => ({
      ...facts,
      ...bearerOf(origin.header('authorization')),
      apiKey: apiKeyOf(origin.header('x-api-key')),
      traceParent: traceParentOf(origin.header('traceparent')),
      ...addressesOf(origin, isProxy),
    }),
    ofHttp: (request, facts) => ({
      ...callers.of(httpOrigin(request), facts),
      bytes: bytesOf(request.headers),
      isForeign:
        request.method === 'GET' && isOfOtherSite(request.headers) && !origins.includes(request.headers.origin ?? ''),
    }),
    addressOfHttp: (request) => addressesOf(httpOrigin(request), isProxy).clientAddress,
  }
  return callers
}

/** The caller's own request id where it is 1 to 128 visible ASCII characters, else a new one. */
export function requestIdOf(sent: string | undefined): string {
  return sent !== undefined && /^[\x21-\x7e]{1,128}$/.test(sent) ? sent : randomUUID()
}

/** True where the caller accepts HTML: as `named` by browsers, or with `any` also by what stands for every type. */
export function wantsHtml({ accept = '*/*' }: IncomingHttpHeaders, by: 'named' | 'any'): boolean {
  const types = by === 'named' ? ['text/html'] : ['text/html', 'text/*', '*/*']
  return accept.split(',').some((range) => types.includes(mediaType(range)) && !/;\s*q=0(\.0*)?\s*(;|$)/i.test(range))
}

/** The media type of a content-type header without its parameters, in lower case; empty for no header. */
export function mediaType(contentType: string | undefined): string {
  return (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

/** The announced bytes of a body; one of unannounced length counts as the longest. */
function bytesOf(headers: IncomingHttpHeaders): number {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : bounds.bodyBytes
}

function httpOrigin(request: IncomingMessage): Origin {
  return {
    peer: request.socket.remoteAddress,
    header(name) {
      const value = request.headers[name]
      return Array.isArray(value) ? value.join(', ') : value
    },
  }
}

function bearerOf(authorization: string | undefined): Pick<Caller, 'token' | 'isUnread'> {
  const token = /^Bearer +([\x21-\x7e]+)$/i.exec(authorization ?? '')?.[1] ?? null
  return { token, isUnread: token === null && (authorization ?? '').trim() !== '' }
}

/**
 * Walks X-Forwarded-For from the nearest hop outwards, and stops at the first address that is not a trusted proxy. Returns
 * the network by which a caller is limited: an IPv4 address, or the /64 of an IPv6 one.
 */
function addressesOf({ peer, header }: Origin, isProxy: IsProxy): Pick<Caller, 'clientAddress' | 'ownAddress'> {
  let address = plainAddress(peer ?? '') ?? 'unknown'
  const hops = header('x-forwarded-for')?.split(',') ?? []
  while (hops.length > 0 && isProxy(address)) {
    const next = plainAddress(hops.at(-1) ?? '')
    if (next === null) break
    address = next
    hops.pop()
  }
  const clientAddress = networkOf(address)
  // A proxy that is not trusted has many callers behind its one address, wherever it stands on the way.
  const isShared = isProxy(plainAddress(peer ?? '') ?? '')
    ? hops.length > 0
    : forwarding.some((name) => header(name) !== undefined)
  return { clientAddress, ownAddress: isShared ? null : clientAddress }
}

/** Headers by which proxies say for whom they ask. */
const forwarding = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via']

/** Whether an address is that of a proxy whose forwarding headers are used. */
export type IsProxy = (address: string) => boolean

/** Reads `TRUSTED_PROXIES`, addresses and networks. Throws an Error where an entry is neither. */
export function proxyCheck(entries: readonly string[]): IsProxy {
  const list = new BlockList()
  for (const entry of entries) {
    const [text = '', prefix] = entry.split('/')
    const address = plainAddress(text) ?? ''
    const version = isIP(address)
    const most = version === 4 ? 32 : 128
    const bits = Number(prefix ?? most)
    if (version === 0 || !/^\d+$/.test(prefix ?? `${most}`) || bits > most) {
      throw new Error(`TRUSTED_PROXIES: ${entry} is neither an address nor a network such as 10.0.0.0/8.`)
    }
    list.addSubnet(address, bits, version === 4 ? 'ipv4' : 'ipv6')
  }
  return (address) => {
    const version = isIP(address)
    return version !== 0 && list.check(address, version === 4 ? 'ipv4' : 'ipv6')
  }
}

/** A configured key of at least 16 characters, and its tier. */
type ConfiguredKey = { key: string; tier: Tier }

/**
 * Finds the configured key that a caller sent; null where it sent none. All digests are compared each time, so that the
 * duration reveals nothing about a key.
 */
function apiKeyReader(configured: readonly ConfiguredKey[]): (sent: string | undefined) => Caller['apiKey'] {
  const known = configured.map(({ key, tier }) => ({ digest: digestOf(key), tier }))
  return (sent) => {
    if (sent === undefined) return null
    const digest = digestOf(sent)
    const [found] = known.filter((one) => timingSafeEqual(one.digest, digest))
    return found === undefined ? 'unknown' : { id: digest.toString('hex'), tier: found.tier }
  }
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

const nothing = { traceId: '0'.repeat(32), spanId: '0'.repeat(16) }

/** Reads a traceparent header (W3C Trace Context, any version); null where it is absent or invalid. */
export function traceParentOf(header: string | undefined): Caller['traceParent'] {
  const [, version, traceId, spanId, flags, more] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(header ?? '') ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return null
  if (version === 'ff' || (version === '00' && more !== undefined)) return null
  if (traceId === nothing.traceId || spanId === nothing.spanId) return null
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}
