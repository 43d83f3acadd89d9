import { DomainError } from '../../domain/core/errors.ts'
import type { Naming } from './http-failure.ts'
import { parseBounded } from './http-json.ts'

/** A part of an address that is as long may be a key; names such as `api` and `v1` are shorter. */
const keyCharacters = 6
/** What is read of a refusal, and what is told of it. */
const [readCharacters, wordCharacters] = [4_000, 300]

/** The address of a question beneath a base URL. */
export function urlOf(
  base: URL,
  { path, query = {} }: { path: string; query?: Readonly<Record<string, string | number>> },
): URL {
  const url = new URL(`${base.href.replace(/\/+$/, '')}${path}`)
  for (const [name, value] of Object.entries(query)) url.searchParams.append(name, String(value))
  return url
}

type Given = Naming & { baseUrl: string; headers?: Readonly<Record<string, string>>; secrets?: readonly string[] }

/** A base URL without its user and password, which go into a header, and all that nobody may be shown of it. */
export function endpointOf({ baseUrl, headers = {}, secrets = [], name, urlSetting }: Given) {
  const base = URL.parse(baseUrl)
  if (base === null)
    throw new DomainError('UNAVAILABLE', `${name} has no address that can be read: correct ${urlSetting}.`)
  const [user, password] = [decoded(base.username), decoded(base.password)]
  base.username = ''
  base.password = ''
  const login = Buffer.from(`${user}:${password}`).toString('base64')
  const basic: Record<string, string> = user === '' && password === '' ? {} : { authorization: `Basic ${login}` }
  // A user alone is a key; beside a password it may be a short name, which is no secret.
  const parts = [
    ...secrets,
    basic.authorization === undefined ? '' : login,
    password,
    ...(password === '' || user.length >= keyCharacters ? [user] : []),
  ]
  const hidden = new Set(parts.flatMap((part) => [part, decoded(part), encodeURIComponent(decoded(part))]))
  hidden.delete('')
  const longestFirst = [...hidden].sort((left, right) => right.length - left.length)
  return { base, headers: { accept: 'application/json, text/plain', ...headers, ...basic }, secrets: longestFirst }
}

/** As people write it; what is no percent-encoding is left as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Parts of an address that may be a key: nobody is shown them. */
export function secretsOf(url: string | undefined): string[] {
  if (url === undefined) return []
  return new URL(url).pathname.split('/').filter((part) => part.length >= keyCharacters)
}

/** What a provider says of its refusal: a line for people, without anything secret. */
export function wordsOf(text: string, secrets: readonly string[]): string {
  const parsed = parseBounded(text)
  const value = 'value' in parsed ? parsed.value : undefined
  const said = typeof value === 'object' && value !== null ? Object.values(value).find(isText) : value
  const line = secrets.reduce((words, secret) => words.replaceAll(secret, '***'), isText(said) ? said : text)
  return line
    .slice(0, readCharacters)
    .replaceAll(/<[^<>]*>|\p{C}+|\s+/gu, ' ')
    .trim()
    .slice(0, wordCharacters)
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
