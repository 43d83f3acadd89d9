import { DomainError } from '../../../domain/core/errors.ts'
import { timeLimit } from '../../../kit/time-limit.ts'
import { cancelled } from '../../async/single-flight.ts'
import { type NodeFailure, silence, TimeoutError } from '../errors/failures.ts'
import { endpointOf } from './endpoint.ts'

/**
 * A call of one node. Throws a NodeFailure where the node returned an error, and a DomainError where it did not respond,
 * the response is too large (LIMIT_EXCEEDED), or the signal aborted (CANCELLED).
 */
export type CallNode = (method: string, params: readonly unknown[], signal: AbortSignal) => Promise<unknown>

/** A node responded with this HTTP status and a body that is not JSON-RPC. */
export class StatusError extends Error {
  override readonly name = 'StatusError'
}

/** Most bytes of a response: a block with every trace may be large. */
const nodeBytes = 64 * 1_048_576
/** Expensive methods may take this many times longer. */
const hard = { methods: /^debug_|getLogs|simulate/, times: 3 }

/** A request over HTTP has one call, so the connection tells which call is answered; the id only confirms it. */
const onlyId = 1

/** Returns a function that calls a node over HTTP. The node's URL may contain a key, so no error shows it. */
export function httpNode(address: string, timeoutMs: number, mostBytes = nodeBytes): CallNode {
  const { url, headers: credentials } = endpointOf(address)
  const headers = { 'content-type': 'application/json', ...credentials }

  return async (method, params, signal) => {
    const isHard = hard.methods.test(method)
    const late = timeLimit(isHard ? timeoutMs * hard.times : timeoutMs)
    const body = JSON.stringify({ jsonrpc: '2.0', id: onlyId, method, params })
    const ended = AbortSignal.any([signal, late])
    try {
      const response = await fetch(url, { method: 'POST', headers, body, signal: ended, redirect: 'error' })
      return resultOf(response, await textOf(response, mostBytes))
    } catch (thrown) {
      if (signal.aborted) throw cancelled()
      if (late.aborted && isHard)
        throw new DomainError('DEADLINE_EXCEEDED', 'The node did not respond in time. Try again.')
      if (isFailure(thrown)) throw thrown
      if (late.aborted) throw silence(new TimeoutError(`no response within ${timeoutMs} ms`))
      if (thrown instanceof StatusError) throw silence(thrown)
      // The error has only the kind of the failure, because messages of network errors contain addresses.
      throw silence(new Error(thrown instanceof Error ? thrown.name : typeof thrown))
    }
  }
}

async function textOf(response: Response, mostBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > mostBytes) throw tooLarge(mostBytes)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** A response that is too large is not a failure of the node: every node would return as much. */
function tooLarge(mostBytes: number): DomainError {
  const message = 'The response of the node is larger than this gateway accepts. Request less at once.'
  return new DomainError('LIMIT_EXCEEDED', message, { metadata: { limit: String(mostBytes) } })
}

/** An error object counts with any HTTP status; without one the status decides. An answer to another call counts as none. */
function resultOf({ status, headers }: Response, text: string): unknown {
  const answer = parsed(text)
  const retryAfterMs = 1_000 * (Number(headers.get('retry-after')) || 0)
  if (answer?.error !== undefined && answer.error !== null) throw { ...failureOf(answer.error), retryAfterMs }
  if (status === 429) throw { ...failureOf({ code: -32005, message: 'too many requests' }), retryAfterMs }
  if (status !== 200 || answer === null || answer.result === undefined) throw new StatusError(`status ${status}`)
  if (answer.id !== onlyId) throw new StatusError('an answer to another call')
  return answer.result
}

function parsed(text: string): { id?: unknown; result?: unknown; error?: unknown } | null {
  try {
    const answer: unknown = JSON.parse(text)
    return typeof answer === 'object' ? answer : null
  } catch {
    return null
  }
}

function failureOf(error: unknown): NodeFailure {
  const { code, message, data } = (typeof error === 'object' ? error : {}) as Record<string, unknown>
  return { code: Number.isInteger(code) ? Number(code) : -32603, message: String(message), data }
}

function isFailure(thrown: unknown): boolean {
  return (
    thrown instanceof DomainError ||
    (typeof thrown === 'object' && thrown !== null && 'code' in thrown && 'data' in thrown)
  )
}
