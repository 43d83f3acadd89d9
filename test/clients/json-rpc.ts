import { type OperationId, operationOf } from '../../src/contract/index.ts'
import type { Operation } from '../../src/contract/shared/operation.ts'
import type { CallOptions, Outcome } from './client.ts'

/** A JSON-RPC client of the node's methods, with parameters by name or by position. */
export type RpcClient = {
  protocol: 'rpcByName' | 'rpcByPlace'
  /** The status of a refusal is the error's number. */
  call(id: OperationId, input: object, token?: string, options?: CallOptions): Promise<Outcome>
}

/** A client by POST. By position it calls the last of a method's names, so that aliases are tested too. */
export function rpcClient(url: string, protocol: RpcClient['protocol']): RpcClient {
  return {
    protocol,
    async call(id, input, token, options = {}) {
      const { method, aliases = [], params: places } = bindingOf(id)
      const call =
        protocol === 'rpcByName'
          ? { method, params: input }
          : { method: aliases.at(-1) ?? method, params: placed(places, { ...input }) }
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(options.requestId === undefined ? {} : { 'x-request-id': options.requestId }),
          ...options.headers,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...call }),
      })
      // biome-ignore lint/suspicious/noExplicitAny: results of every method pass through here
      const { result, error } = (await response.json()) as any
      const headers = Object.fromEntries(response.headers)
      if (error === undefined) return { ok: true, output: result, headers }
      const { code = `code ${error.code}`, errors = [], request_id, metadata = {} } = error.data ?? {}
      const common = { status: error.code, message: error.message, violations: errors, headers }
      return { ok: false, code, ...common, requestId: request_id, metadata }
    },
  }
}

/** The binding of an operation that JSON-RPC reaches. */
function bindingOf(id: OperationId) {
  const { rpc } = operationOf(id) as Operation
  if (rpc === undefined) throw new Error(`${id} has no method of JSON-RPC.`)
  return rpc
}

/** Null stands for an absent parameter before a given one. */
function placed(places: readonly string[], input: Record<string, unknown>): unknown[] {
  const last = places.findLastIndex((name) => input[name] !== undefined)
  return places.slice(0, last + 1).map((name) => input[name] ?? null)
}
