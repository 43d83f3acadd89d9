/**
 * The bytes of a request, as text of one character a byte; `path` is of the URL or of the gRPC method. Without a body it
 * is a GET over HTTP; `token` is the bearer token, if any.
 */
export type Sent = { path: string; body: string; token?: string }

/** What of a request is another value each time. */
export const marker = '5eed5eed5eed5eed'

/** Makes the function that has another value for each marker of each request: no answer can serve two, even of a batch. */
export function numbering(): (request: Sent) => Sent {
  let asked = 0
  const next = () => {
    asked += 1
    return asked.toString(16).padStart(marker.length, '0')
  }
  return (request) => ({ ...request, body: request.body.replaceAll(marker, next) })
}
