import { basicAuth, splitLogin } from '../../system/url-login.ts'

/** A node's URL without user and password, and the header that carries them. */
type Endpoint = { url: URL; headers: Record<string, string> }

/** Parses a node's URL. Requests must not show user and password in a URL, and WebSockets would drop them. */
export function endpointOf(address: string): Endpoint {
  const { url, user, password } = splitLogin(new URL(address))
  return { url, headers: user === '' && password === '' ? {} : { authorization: basicAuth(user, password) } }
}
