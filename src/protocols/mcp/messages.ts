import { ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { FastifyRequest } from 'fastify'
import { bounds } from '../../contract/shared/limits.ts'
import { DomainError } from '../../domain/core/errors.ts'
import type { Agent } from '../../gateway/gateway.ts'
import type { ResponseHeaders } from '../../gateway/request.ts'
import { isRecord } from '../../kit/values.ts'
import { readBody } from '../body.ts'

/** Methods that are counted under their own name; all others together as unknown, so that no caller makes up names. */
const knownMethods: ReadonlySet<string> = new Set([
  'initialize',
  'notifications/cancelled',
  'notifications/initialized',
  'ping',
  'server/discover',
  'tools/list',
])

/** The messages of a body: one, or those of a batch, which clients of 2025 may send. Throws DomainError. */
export function messagesOf(sent: FastifyRequest): { body: unknown; messages: unknown[] } {
  const body = readBody(sent, 'json', true).fields
  const messages = Array.isArray(body) ? body : [body]
  if (messages.length === 0) throw new DomainError('MALFORMED_REQUEST', 'The batch is empty. Send one message.')
  if (messages.length > bounds.rpcBatchMessages)
    throw new DomainError('PAYLOAD_TOO_LARGE', 'The batch has too many messages. Send them one by one.')
  for (const message of messages) dropNullArguments(message)
  return { body, messages }
}

/** Some clients write null for a tool without arguments, which the library refuses. */
function dropNullArguments(message: unknown): void {
  if (isRecord(message) && isRecord(message.params) && message.params.arguments === null)
    delete message.params.arguments
}

/** True of a call of a tool, which is counted by the tool. */
export function isToolCall(message: unknown): boolean {
  return isRecord(message) && message.method === 'tools/call'
}

/**
 * The answer to a request to listen for changes; null for all else. No list of this server changes while it runs, so it
 * has no such method, but the library can only refuse it as one listener too many.
 */
export function refusedListening(body: unknown): Response | null {
  if (!isRecord(body) || body.method !== 'subscriptions/listen') return null
  const { id } = body
  if (typeof id !== 'string' && typeof id !== 'number') return null
  return Response.json(
    { jsonrpc: '2.0', id, error: { code: ProtocolErrorCode.MethodNotFound, message: 'Method not found' } },
    { status: 404 },
  )
}

/** Counts every other message. Returns the refusal of the first that is too much, or null. */
export async function countOthers(
  agent: Agent,
  messages: readonly unknown[],
): Promise<{ error: DomainError; headers: ResponseHeaders } | null> {
  for (const message of messages) {
    if (isToolCall(message)) continue
    const method = isRecord(message) && typeof message.method === 'string' ? message.method : ''
    const isKnown = knownMethods.has(method)
    const counted = await agent.count(`mcp.${isKnown ? method : 'unknown'}`, isKnown ? 'OK' : 'UNIMPLEMENTED')
    if (!counted.ok) return counted
  }
  return null
}
