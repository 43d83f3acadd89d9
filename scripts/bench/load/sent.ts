/**
 * The bytes of a request as text with one character per byte; `path` is that of the URL or of the gRPC method. Without
 * a body it is a GET over HTTP; `token` is the bearer token, if any.
 */
export type Sent = { path: string; body: string; token?: string }

/** A part of a request that has a new value each time. */
export const marker = '5eed5eed5eed5eed'

/**
 * Returns a function that replaces each marker of each request by a new value, so that no cached response can serve
 * two.
 */
export function numbering(): (request: Sent) => Sent {
  let asked = 0
  const next = () => {
    asked += 1
    return asked.toString(16).padStart(marker.length, '0')
  }
  return (request) => ({ ...request, body: request.body.replaceAll(marker, next) })
}
