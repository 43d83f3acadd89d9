import type { HttpBinding, Operation } from '../../../src/contract/shared/operation.ts'
import type { Method } from '../model.ts'

/** An operation that REST serves. */
export type Bound = Method & { http: HttpBinding }

/** The environment variable with the token of an operation; null where it needs none. */
export function tokenName({ auth }: Operation): string | null {
  if (auth === 'none') return null
  return auth === 'user' ? 'USER_TOKEN' : auth === 'operator' ? 'OPERATOR_TOKEN' : 'TOKEN'
}

/** The path with the values of the example. */
export function pathOf({ http, operation }: Bound): string {
  const example: Record<string, unknown> = operation.example.input
  return http.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(example[name])))
}

/** The fields of the example that go into the query, as text. */
export function queryOf(method: Bound): Record<string, string> {
  if (hasBody(method.http)) return {}
  return Object.fromEntries(notInPath(method).map(([name, value]) => [name, String(value)]))
}

/** The body of the example; null for a request without one. */
export function bodyOf(method: Bound): object | null {
  return hasBody(method.http) ? Object.fromEntries(notInPath(method)) : null
}

function notInPath({ http, operation }: Bound): [string, unknown][] {
  const inPath = pathFields(http)
  return Object.entries(operation.example.input).filter(([name]) => !inPath.includes(name))
}

/** The fields that stand in the path. */
export function pathFields({ path }: HttpBinding): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '')
}

/** Whether the fields that do not stand in the path are the body, and not the query. */
export function hasBody({ method }: HttpBinding): boolean {
  return method === 'POST' || method === 'PATCH'
}
