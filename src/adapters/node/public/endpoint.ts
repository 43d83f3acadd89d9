/** A node's URL without user and password, and the header that carries them. */
export type Endpoint = { url: URL; headers: Record<string, string> }

/** Parses a node's URL. Requests must not show user and password in a URL, and WebSockets would drop them. */
export function endpointOf(address: string): Endpoint {
  const url = new URL(address)
  const { username, password } = url
  if (username === '' && password === '') return { url, headers: {} }
  url.username = ''
  url.password = ''
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { url, headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` } }
}
