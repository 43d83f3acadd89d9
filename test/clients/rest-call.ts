/** `authorization` is the whole header, null for none; `json` is sent as the body. */
type Sent = { method?: string; json?: unknown; authorization: string | null }

/** A plain HTTP request to a path below /api/v1, POST unless another method is given, and its response with JSON. */
export async function restCall(url: string, path: string, { method = 'POST', json, authorization }: Sent) {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: {
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...(authorization !== null && { authorization }),
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  })
  return {
    status: response.status,
    ignored: response.headers.get('x-ignored-fields'),
    // biome-ignore lint/suspicious/noExplicitAny: every shape of response passes through here
    body: (await response.json()) as any,
  }
}
