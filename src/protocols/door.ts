import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { DomainError } from '../domain/core/errors.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { ResponseHeaders } from '../gateway/request.ts'
import type { HostCheck } from './address.ts'
import type { Callers } from './caller.ts'
import { isOfOtherSite } from './cors.ts'
import { restProtocol } from './protocols.ts'

export type DoorRules = {
  servesHost: HostCheck
  /** Origins of web pages that may call. */
  origins: readonly string[]
  /** The gateway's own address, whose pages may call. */
  publicUrl: () => string
  /** Hears each origin whose page was refused. */
  refused?: (origin: string) => void
}

/** A request that was turned away, with the headers of the rate that it counted against. */
export type Turned = { error: DomainError; headers: ResponseHeaders }

/** Turns requests away before they are read. They count against the node's rate of their address alone; null for others. */
export type Door = (request: IncomingMessage, requestId: string) => Promise<Turned | null>

export function openDoor({ gateway, callers }: { gateway: Gateway; callers: Callers }, rules: DoorRules): Door {
  const { signal } = new AbortController()
  return async (request, requestId) => {
    const error = refusalAtDoor(rules, request)
    if (error === null) return null
    const caller = callers.ofHttp(request, { protocol: restProtocol, requestId, signal })
    const counted = await gateway.count('http.refused', caller, error.code)
    return { error: counted.ok ? error : counted.error, headers: counted.headers }
  }
}

/**
 * Why a request may not enter the port that browsers use; null where it may. A page of another site could otherwise have
 * its visitors send forms and requests to a gateway on their machine, and a name that was pointed at this server would make
 * it a page of the same site.
 */
export function refusalAtDoor(rules: DoorRules, request: IncomingMessage): DomainError | null {
  const { headers } = request
  if (!anyName.test(request.url ?? '') && !rules.servesHost(headers.host)) return hostRefusal(headers.host)
  if (!isForeign(rules, headers) || isVisit(request)) return null
  const { origin } = headers
  if (origin !== undefined) rules.refused?.(origin)
  return new DomainError(
    'PERMISSION_DENIED',
    'A web page of another origin may not send this request. CORS_ORIGINS lists the origins that may; PUBLIC_URL is that of the gateway itself, where a proxy stands before it.',
  )
}

/** Paths of probes, which call by any address and name, and of metrics, which need a token. */
const anyName = /^\/(health\/|metrics(\?|$))/

/** The refusal of a Host header, with the name in it. */
export function hostRefusal(header: string | undefined): DomainError {
  return new DomainError('PERMISSION_DENIED', hostRefusalText(header))
}

export function hostRefusalText(header = ''): string {
  const name = header
    .replace(/:\d*$/, '')
    .replace(/[^\w.:[\]-]/g, '?')
    .slice(0, 100)
  return `The host name ${name} is not served. The operator can add it to ALLOWED_HOSTS.`
}

/**
 * Whether a browser says that a page of another origin sends the request. It sends `sec-fetch-site` over TLS and on this
 * machine, and no page can forge it: behind a proxy that changes the Host it still knows its own pages. Elsewhere `origin`,
 * which comes with all but reads, is compared. Programs send neither.
 */
function isForeign({ origins, publicUrl }: DoorRules, headers: IncomingHttpHeaders): boolean {
  const { origin, host, 'sec-fetch-site': site } = headers
  if (origin !== undefined && (origins.includes(origin) || origin === URL.parse(publicUrl())?.origin)) return false
  if (isOfOtherSite(headers)) return true
  if (origin === undefined || site === 'same-origin') return false
  return URL.parse(origin)?.host !== host
}

/** A link that is followed, or an address that is typed: a read that shows a page of its own. */
function isVisit({ method, headers }: IncomingMessage): boolean {
  return (method === 'GET' || method === 'HEAD') && headers['sec-fetch-mode'] === 'navigate'
}
