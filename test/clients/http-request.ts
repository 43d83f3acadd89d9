import type { Operation } from '../../src/contract/shared/operation.ts'

const nilUuid = '00000000-0000-0000-0000-000000000000'

/** The HTTP request for an input: path, query and body by the operation's binding. */
export function restRequest(
  operation: Operation,
  input: Record<string, unknown>,
  token: Record<string, string>,
): { path: string; init: RequestInit } {
  const { http } = operation
  if (http === undefined) throw new Error('an operation without an HTTP binding')
  const inPath = [...http.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '')
  const path = http.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(input[name] ?? nilUuid)),
  )
  const rest = Object.fromEntries(Object.entries(input).filter(([name]) => !inPath.includes(name)))
  if (http.method === 'GET' || http.method === 'DELETE') {
    const query = String(textsOf(rest))
    return { path: query === '' ? path : `${path}?${query}`, init: { method: http.method, headers: token } }
  }
  if (http.body === 'form') return { path, init: { method: http.method, headers: token, body: textsOf(rest) } }
  return {
    path,
    init: {
      method: http.method,
      headers: { ...token, 'content-type': 'application/json' },
      body: JSON.stringify(rest),
    },
  }
}

function textsOf(fields: Record<string, unknown>): URLSearchParams {
  return new URLSearchParams(Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]))
}
