import { isRecord } from '../../kit/values.ts'
/** A valid request; a notification has no `id`. */
export type Request = { method: string; params: unknown[] | Record<string, unknown>; id?: unknown }

const idCharacters = 1_000

/** Reads a message as a request, or says why it is invalid. */
export function requestOf(message: unknown): Request | { fault: string } {
  if (!isRecord(message)) return { fault: 'a request is an object with jsonrpc, method, params and id' }
  const { jsonrpc, method, params = [], id } = message
  if (jsonrpc !== '2.0') return { fault: 'jsonrpc must be "2.0"' }
  if (method === undefined) return { fault: 'method is missing; name the method to call' }
  if (typeof method !== 'string') return { fault: 'method must be a string' }
  if (params !== null && !Array.isArray(params) && !isRecord(params))
    return { fault: 'params must be a list or an object' }
  const request = { method, params: params ?? [] }
  if (!('id' in message)) return request
  if (isId(id)) return { ...request, id }
  return { fault: `id must be a number, null, or a string of at most ${idCharacters} characters` }
}

/** The id of the response to a message; null where the message has no valid id. */
export function idOf(message: unknown): unknown {
  return isRecord(message) && isId(message.id) ? message.id : null
}

function isId(id: unknown): boolean {
  if (typeof id === 'string') return id.length <= idCharacters
  // JSON cannot repeat a number that became infinite.
  return id === null || Number.isFinite(id) || JSON.isRawJSON(id)
}
