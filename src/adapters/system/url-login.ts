/** A URL without its user and password, which are returned decoded; text without valid percent-encoding stays as it is. */
export function splitLogin(given: URL): { url: URL; user: string; password: string } {
  const url = new URL(given)
  const [user, password] = [decoded(url.username), decoded(url.password)]
  url.username = ''
  url.password = ''
  return { url, user, password }
}

/** The value of an authorization header. */
export function basicAuth(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}

export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
