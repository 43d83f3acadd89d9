import { DomainError } from '../../domain/errors.ts'
import type { Naming } from './http-failure.ts'
import { parseBounded } from './http-json.ts'

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
  const { username, password } = base
  base.username = ''
  base.password = ''
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const login = Buffer.from(pair).toString('base64')
  const basic: Record<string, string> = username === '' && password === '' ? {} : { authorization: `Basic ${login}` }
  const hidden = [...secrets, ...(pair === ':' ? [] : [login, decodeURIComponent(password)])].filter(
    (text) => text !== '',
  )
  return { base, headers: { accept: 'application/json, text/plain', ...headers, ...basic }, secrets: hidden }
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
