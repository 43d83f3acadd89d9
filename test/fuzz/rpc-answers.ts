import { errorTable } from '../../src/contract/shared/errors.ts'
import { bounds } from '../../src/contract/shared/limits.ts'

/** The codes of the error table, and those of JSON-RPC itself. */
const codes = new Set<number>([...Object.values(errorTable).map(({ jsonRpc }) => jsonRpc), -32601, -32004])
codes.delete(errorTable.INTERNAL.jsonRpc)

/** The violation of JSON-RPC 2.0 or the error table by a response; null without one. */
export function faultOf(asked: Buffer, answer: unknown): string | null {
  const expected = expectedIds(asked)
  if (!Array.isArray(expected)) return faultOfOne(expected.id, answer)
  if (expected.length === 0) return answer === null ? null : 'an answer to notifications'
  if (!Array.isArray(answer)) return 'no list for a batch'
  if (answer.length !== expected.length) return `${answer.length} answers in place of ${expected.length}`
  return expected.map((id, index) => faultOfOne(id, answer[index])).find((fault) => fault !== null) ?? null
}

/** True where these bytes request no response. */
export function asksNothing(asked: Buffer): boolean {
  const expected = expectedIds(asked)
  return Array.isArray(expected) && expected.length === 0
}

/** The id of a response, or those of a batch; an empty list is not a response. */
function expectedIds(asked: Buffer): { id: unknown } | unknown[] {
  const parsed = parsedOf(asked)
  if (parsed === undefined) return { id: null }
  if (!Array.isArray(parsed)) return isNotification(parsed) ? [] : { id: idOf(parsed) }
  if (parsed.length === 0 || parsed.length > bounds.rpcBatchMessages) return { id: null }
  return parsed.filter((message) => !isNotification(message)).map(idOf)
}

function parsedOf(asked: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(asked))
  } catch {
    return undefined
  }
}

function isNotification(message: unknown): boolean {
  if (!isRecord(message) || 'id' in message) return false
  const { jsonrpc, method, params } = message
  return jsonrpc === '2.0' && typeof method === 'string' && (params == null || typeof params === 'object')
}

function idOf(message: unknown): unknown {
  const id = isRecord(message) ? message.id : null
  return typeof id === 'number' || (typeof id === 'string' && id.length <= 1_000) ? id : null
}

function faultOfOne(id: unknown, answer: unknown): string | null {
  if (!isRecord(answer) || answer.jsonrpc !== '2.0') return 'no answer of version 2.0'
  // An id that no double can represent is repeated as it was written, unless its message is very long or deep.
  const isKept = answer.id === id || (Math.abs(Number(id)) === Infinity && answer.id === null)
  if (!isKept) return `the id ${answer.id} in place of ${id}`
  if ('result' in answer === 'error' in answer) return 'not one of result and error'
  const { error } = answer
  if (error === undefined) return null
  if (!isRecord(error) || typeof error.message !== 'string') return 'an error without its sentence'
  return codes.has(Number(error.code)) ? null : `the code ${error.code}`
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
