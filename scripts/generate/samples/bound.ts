import type { HttpBinding, Operation } from '../../../src/contract/shared/operation.ts'
import type { Method } from '../model.ts'

/** An operation that REST serves. */
export type Bound = Method & { http: HttpBinding }

/** The addresses in the samples: those of a gateway with its default settings. */
export const httpAddress = 'http://127.0.0.1:8000'
export const grpcAddress = '127.0.0.1:50051'

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
  if (hasBody(method)) return {}
  return Object.fromEntries(notInPath(method).map(([name, value]) => [name, String(value)]))
}

/** The body of the example; null for a request without one. */
export function bodyOf(method: Bound): object | null {
  return hasBody(method) ? Object.fromEntries(notInPath(method)) : null
}

function notInPath({ http, operation }: Bound): [string, unknown][] {
  return Object.entries(operation.example.input).filter(([name]) => !http.path.includes(`{${name}}`))
}

function hasBody({ http }: Bound): boolean {
  return http.method === 'POST' || http.method === 'PATCH'
}
