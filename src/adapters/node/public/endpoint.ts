/** Where a node is asked: its address without a user and password, which go into a header. */
export type Endpoint = { url: URL; headers: Record<string, string> }

/** Reads the address of a node. No request may carry user and password in its address, and sockets would drop them. */
export function endpointOf(address: string): Endpoint {
  const url = new URL(address)
  const { username, password } = url
  if (username === '' && password === '') return { url, headers: {} }
  url.username = ''
  url.password = ''
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { url, headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` } }
}
