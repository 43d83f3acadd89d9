import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'

/** Origins that browsers may call from, such as `https://app.example`. */
export type CorsRules = { origins: readonly string[] }

const exposed =
  'www-authenticate, x-request-id, x-stream-id, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, x-ratelimit-work-limit, x-ratelimit-work-remaining, x-ratelimit-work-reset, retry-after, idempotent-replayed, x-ignored-fields, x-next-cursor, deprecation, sunset'

/** Headers that let a configured origin read the response. Credentials are never allowed: clients send tokens themselves. */
export function corsHeaders(rules: CorsRules, origin: string | undefined): Record<string, string> {
  if (rules.origins.length === 0) return {}
  if (origin === undefined || !rules.origins.includes(origin)) return { vary: 'Origin' }
  return {
    vary: 'Origin',
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'GET, POST, PATCH, DELETE',
    'access-control-allow-headers':
      'authorization, content-type, x-api-key, x-request-id, last-event-id, trpc-accept, x-trpc-source, traceparent, tracestate, baggage, sentry-trace, mcp-protocol-version, mcp-method, mcp-name',
    'access-control-expose-headers': exposed,
    'access-control-max-age': '600',
  }
}

/** Whether a browser says that a page of another site sends the request. Other programs say nothing of the kind. */
export function isOfOtherSite({ 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  return site === 'cross-site' || site === 'same-site'
}

/** Whether a request is a CORS preflight of a browser. */
export function isPreflight(request: IncomingMessage): boolean {
  return (
    request.method === 'OPTIONS' &&
    request.headers.origin !== undefined &&
    request.headers['access-control-request-method'] !== undefined
  )
}
