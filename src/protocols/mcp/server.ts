import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { DomainError } from '../../domain/core/errors.ts'
import type { Agent, Gateway } from '../../gateway/gateway.ts'
import type { ResponseHeaders } from '../../gateway/request.ts'
import type { Callers } from '../caller.ts'
import { sendFailure } from '../http-errors.ts'
import { mcpProtocol } from '../protocols.ts'
import { disconnectSignal } from '../streams.ts'
import { type Accepted, acceptedBy, answersIn, asEvents } from './accepted.ts'
import { countOthers, isToolCall, messagesOf, refusedListening } from './messages.ts'
import { mcpPath, metadataPath, protectedResource } from './metadata.ts'
import { inWords, refusedParams, takeWrongParams, type WrongParams } from './protocol-errors.ts'
import { type Extension, serverFor, type ToolDocument } from './serve.ts'
import { type Codec, dialogueOf, openCodec } from './tools/dialogue.ts'
import type { Words } from './tools/run.ts'
import { callTool } from './tools/tools.ts'

export type McpParts = {
  gateway: Gateway
  callers: Callers
  document: ToolDocument
  words: Words
  publicUrl: () => string
  /** Signs what persons are asked; at least 32 bytes, the same in all processes. */
  key: Uint8Array
  now: () => Date
  newId: () => string
  extension?: Extension
  unexpected(event: { operation: string; requestId: string; error: unknown }): void
}

/** A Fastify plugin with MCP by Streamable HTTP at `/mcp`, and what the resource says of itself. Bodies must arrive as buffers. */
export function mcpRoutes(parts: McpParts): (app: FastifyInstance) => Promise<void> {
  const served = { ...parts, codec: openCodec(parts.key) }
  const handler = createMcpHandler(({ authInfo }) => serverOf(served, authInfo?.extra as Exchange | undefined), {
    maxSubscriptions: 0, // see refusedListening
    onerror: () => undefined, // what it reports is the caller's mistake, which its response names
  })
  const listing = JSON.stringify(parts.document, null, 2)
  return async (app) => {
    app.post(mcpPath, async (request, reply) => await respond(parts, handler, request, reply))
    app.get('/mcp.json', async (_request, reply) => reply.type('application/json; charset=utf-8').send(listing))
    app.get(metadataPath, async (_request, reply) =>
      reply.type('application/json; charset=utf-8').send(JSON.stringify(protectedResource(parts.publicUrl()))),
    )
  }
}

/** What the messages of one request share. */
type Exchange = { agent: Agent; requestId: string; messages: readonly unknown[]; wrong: WrongParams; toolCalls: number }

async function respond(parts: McpParts, handler: McpHttpHandler, request: FastifyRequest, reply: FastifyReply) {
  const signal = disconnectSignal(reply.raw)
  const caller = parts.callers.ofHttp(request.raw, { protocol: mcpProtocol, requestId: request.id, signal })
  const known = await parts.gateway.agent('mcp.request', caller)
  if (!known.ok) return refuse(parts, reply, known.error, known.headers)
  const { agent } = known
  const read = await readCounted(agent, request)
  if ('error' in read) return refuse(parts, reply, read.error, read.headers)
  const { body, messages } = read
  const exchange: Exchange = { agent, requestId: request.id, messages, wrong: takeWrongParams(messages), toolCalls: 0 }
  const authInfo = { token: '', clientId: `${agent.account} ${agent.session}`, scopes: [], extra: exchange }
  const response =
    refusedListening(body) ??
    refusedParams(body, exchange.wrong) ??
    (await handler.fetch(webRequest(request), { parsedBody: body, authInfo }))
  const uncounted = await countUnserved(exchange, messages)
  // Where a tool has run, its caller must learn what it did.
  if (uncounted !== null && exchange.toolCalls === 0) return refuse(parts, reply, uncounted.error, uncounted.headers)
  return await send(reply, response, acceptedBy(request.headers.accept), Array.isArray(body))
}

/** The messages of a request. All but calls of tools are counted here, and what is no message counts as one. */
async function readCounted(agent: Agent, request: FastifyRequest) {
  try {
    const read = messagesOf(request)
    return (await countOthers(agent, read.messages)) ?? read
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    const counted = await agent.count('mcp.unknown', error.code)
    return counted.ok ? { error, headers: counted.headers } : counted
  }
}

/** Counts the calls of tools that the library refused before any tool saw them. */
async function countUnserved({ agent, toolCalls }: Exchange, messages: readonly unknown[]) {
  for (let unserved = messages.filter(isToolCall).length - toolCalls; unserved > 0; unserved -= 1) {
    const counted = await agent.count('mcp.unknown', 'INVALID_ARGUMENT')
    if (!counted.ok) return counted
  }
  return null
}

function serverOf(parts: McpParts & { codec: Codec }, exchange: Exchange | undefined) {
  if (exchange === undefined) throw new Error('A request without its agent reached the server.')
  const { document, extension } = parts
  return serverFor({
    document,
    scopes: exchange.agent.grant.scopes,
    async call(name, given, context) {
      exchange.toolCalls += 1
      if (extension?.tools.some((tool) => tool.name === name)) return await extension.call(name, given, context)
      return await callTool({ ...parts, ...exchange, dialogue: dialogueOf(parts, context) }, name, given)
    },
    spoken: (answer) => inWords(answer, exchange.messages, exchange.wrong),
    extension,
  })
}

/** What the library reads of a request; the body is given to it parsed. It demands that a caller accepts both forms. */
const headersRead = ['content-type', 'mcp-method', 'mcp-name', 'mcp-protocol-version', 'mcp-session-id']
const bothForms: [string, string] = ['accept', 'application/json, text/event-stream']

/** Without a signal: what a tool does ends by that of its caller, and a stream by its reader. */
function webRequest({ headers }: FastifyRequest): Request {
  const sent = headersRead.flatMap((name): [string, string][] => {
    const value = headers[name]
    return typeof value === 'string' ? [[name, value]] : []
  })
  return new Request(address, { method: 'POST', headers: [...sent, bothForms] })
}

const address = new URL(`http://localhost${mcpPath}`)

/** Sends what the library answers in a form that the caller reads: a message at once, a stream of messages as they come. */
async function send(
  reply: FastifyReply,
  response: Response,
  accepted: Accepted,
  isBatch: boolean,
): Promise<FastifyReply> {
  const areEvents = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  if (areEvents && accepted !== 'json') return reply.send(response)
  const text = await response.text()
  reply.code(response.status)
  if (areEvents) return reply.type('application/json').send(JSON.stringify(answersIn(text, isBatch)))
  reply.headers(Object.fromEntries(response.headers))
  const isRead = accepted !== 'events' || response.status !== 200
  return isRead ? reply.send(text) : reply.type('text/event-stream').send(asEvents(text))
}

/** A refusal of the whole request, which says where to read how to get a token. */
function refuse(parts: McpParts, reply: FastifyReply, error: DomainError, headers: ResponseHeaders): FastifyReply {
  if (error.code === 'UNAUTHENTICATED')
    reply.header('www-authenticate', `Bearer resource_metadata="${parts.publicUrl()}${metadataPath}"`)
  return sendFailure(reply, error, headers)
}
