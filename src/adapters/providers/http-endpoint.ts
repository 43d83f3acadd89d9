import { DomainError } from '../../domain/core/errors.ts'
import { basicAuth, decoded, splitLogin } from '../system/url-login.ts'
import type { Naming } from './http-failure.ts'
import { parseBounded } from './http-json.ts'

/** A part of a path of this length can be a key; names such as `api` and `v1` are shorter. */
const keyCharacters = 6
/** How much of a refusal is read, and how much of it is shown. */
const [readCharacters, shownCharacters] = [4_000, 300]

/** The URL of a request under a base URL. */
export function urlOf(
  base: URL,
  { path, query = {} }: { path: string; query?: Readonly<Record<string, string | number>> },
): URL {
  const url = new URL(`${base.href.replace(/\/+$/, '')}${path}`)
  for (const [name, value] of Object.entries(query)) url.searchParams.append(name, String(value))
  return url
}

type Given = Naming & { baseUrl: string; headers?: Readonly<Record<string, string>>; secrets?: readonly string[] }

/** A base URL without its user and password, which go into a header, and the texts of it that must stay secret. */
export function endpointOf({ baseUrl, headers = {}, secrets = [], name, urlSetting }: Given) {
  const given = URL.parse(baseUrl)
  if (given === null) throw new DomainError('UNAVAILABLE', `${name} has an invalid URL. Correct ${urlSetting}.`)
  const { url: base, user, password } = splitLogin(given)
  const authorization = basicAuth(user, password)
  const basic: Record<string, string> = user === '' && password === '' ? {} : { authorization }
  // A user without a password is a key. With a password it can be a short name, which is not secret.
  const parts = [
    ...secrets,
    basic.authorization?.replace('Basic ', '') ?? '',
    password,
    ...(password === '' || user.length >= keyCharacters ? [user] : []),
  ]
  const hidden = new Set(parts.flatMap((part) => [part, decoded(part), encodeURIComponent(decoded(part))]))
  hidden.delete('')
  const longestFirst = [...hidden].sort((left, right) => right.length - left.length)
  return { base, headers: { accept: 'application/json, text/plain', ...headers, ...basic }, secrets: longestFirst }
}

/** The parts of a URL's path that can be a key and must stay secret. */
export function secretsOf(url: string | undefined): string[] {
  if (url === undefined) return []
  return new URL(url).pathname.split('/').filter((part) => part.length >= keyCharacters)
}

/** The message of a provider's refusal: one line, without secrets. */
export function messageOf(text: string, secrets: readonly string[]): string {
  const parsed = parseBounded(text)
  const value = 'value' in parsed ? parsed.value : undefined
  const message = typeof value === 'object' && value !== null ? Object.values(value).find(isText) : value
  const line = secrets.reduce((shown, secret) => shown.replaceAll(secret, '***'), isText(message) ? message : text)
  return line
    .slice(0, readCharacters)
    .replaceAll(/<[^<>]*>|\p{C}+|\s+/gu, ' ')
    .trim()
    .slice(0, shownCharacters)
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
