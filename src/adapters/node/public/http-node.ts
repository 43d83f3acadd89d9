import { DomainError } from '../../../domain/core/errors.ts'
import { timeLimit } from '../../../domain/core/time-limit.ts'
import { cancelled } from '../../async/single-flight.ts'
import { type NodeFailure, silence } from '../errors/node-errors.ts'
import { endpointOf } from './endpoint.ts'

/** Asks one node; throws what it answered as NodeFailure, and DomainError where it did not answer. */
export type AskNode = (method: string, params: readonly unknown[], signal: AbortSignal) => Promise<unknown>

/** That a node answered with a status and nothing else that can be understood; the message says which. */
export class StatusError extends Error {
  override readonly name = 'StatusError'
}

/** A block with every trace may be large. */
const nodeBytes = 64 * 1_048_576
/** What makes a node work hard may take so many times as long. */
const hard = { methods: /^debug_|getLogs|simulate/, times: 3 }

/** Speaks JSON-RPC to a node over HTTP. Its address may hold a key, and no error says it. */
export function httpNode(address: string, timeoutMs: number, mostBytes = nodeBytes): AskNode {
  const { url, headers: credentials } = endpointOf(address)
  const headers = { 'content-type': 'application/json', ...credentials }
  let lastId = 0

  return async (method, params, signal) => {
    lastId += 1
    const isHard = hard.methods.test(method)
    const late = timeLimit(isHard ? timeoutMs * hard.times : timeoutMs)
    const body = JSON.stringify({ jsonrpc: '2.0', id: lastId, method, params })
    const ended = AbortSignal.any([signal, late])
    try {
      const response = await fetch(url, { method: 'POST', headers, body, signal: ended, redirect: 'error' })
      return resultOf(response.status, await textOf(response, mostBytes))
    } catch (thrown) {
      if (signal.aborted) throw cancelled()
      if (late.aborted && isHard)
        throw new DomainError('DEADLINE_EXCEEDED', 'The node took too long to answer; try again.')
      // Only what sort of failure it was: the words of a network name addresses.
      if (isFailure(thrown)) throw thrown
      if (thrown instanceof StatusError) throw silence(thrown)
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

/** Another node would answer as much. */
function tooLarge(mostBytes: number): DomainError {
  const message = 'The answer of the node is larger than this gateway takes; ask for less at once.'
  return new DomainError('LIMIT_EXCEEDED', message, { metadata: { limit: String(mostBytes) } })
}

/** A node may say with any status what went wrong; without words of its own the status speaks. */
function resultOf(status: number, text: string): unknown {
  const answer = parsed(text)
  if (answer?.error !== undefined && answer.error !== null) throw failureOf(answer.error)
  if (status === 429) throw failureOf({ code: -32005, message: 'too many requests' })
  if (status !== 200 || answer === null || answer.result === undefined) throw new StatusError(`status ${status}`)
  return answer.result
}

function parsed(text: string): { result?: unknown; error?: unknown } | null {
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
