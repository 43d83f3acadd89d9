import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { errorTable } from '../../contract/errors.ts'
import { bounds } from '../../contract/limits.ts'
import type { Operation } from '../../contract/operation.ts'
import type { AnswerHeaders, Caller, Gateway } from '../../gateway.ts'
import { type Callers, requestIdOf } from '../caller.ts'
import { closeWithin } from '../closing.ts'
import { type CorsRules, corsHeaders, isPreflight } from '../cors.ts'
import { type Listening, nodeServer, placeOf } from '../node-server.ts'
import { leavingSignal } from '../streams.ts'
import { bytesOf, parsedBody } from './body.ts'
import { brokenSide, envelopeErrors, type RpcError } from './errors.ts'
import { type Answered, answerMessage, failed, type MethodTable, methodTable } from './message.ts'

export type RpcParts = Listening & {
  gateway: Gateway
  operations: ReadonlyMap<string, Operation>
  callers: Callers
  cors: CorsRules
  /** Milliseconds that requests may take to finish once closing. */
  graceMs: number
  unexpected(event: { operation: string; requestId: string; error: unknown }): void
}

export type RpcServer = { url: string; port: number; close(): Promise<void> }

type Context = { gateway: Gateway; methods: MethodTable }
type Reply = { status: number; body: unknown; headers: AnswerHeaders }

/** Starts the JSON-RPC server: POST on `/`, single requests and batches. */
export async function serveRpc(parts: RpcParts): Promise<RpcServer> {
  const context = { gateway: parts.gateway, methods: methodTable(parts.operations) }
  const server = nodeServer(parts.tls, (request, response) => void exchange(parts, context, request, response))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(parts.port, parts.host, resolve)
  })
  return { ...placeOf(server, parts), close: () => closeGently(server, parts.graceMs) }
}

async function exchange(
  parts: RpcParts,
  context: Context,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const header = request.headers['x-request-id']
  const requestId = requestIdOf(Array.isArray(header) ? header[0] : header)
  const common = {
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
    ...corsHeaders(parts.cors, request.headers.origin),
  }
  if (isPreflight(request)) {
    response.writeHead(204, common).end()
    return
  }
  const caller = parts.callers.ofHttp(request, { protocol: 'jsonrpc', requestId, signal: leavingSignal(response) })
  const reply = await replyTo(context, request, caller).catch((error: unknown) => {
    if (caller.signal.aborted) return null
    parts.unexpected({ operation: 'jsonrpc', requestId, error })
    return refusal(500, brokenSide(requestId))
  })
  if (reply === null) return
  const text = reply.body === null ? '' : JSON.stringify(reply.body)
  if (!request.complete) response.shouldKeepAlive = false
  response.writeHead(reply.status, {
    ...common,
    ...reply.headers,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  })
  response.end(text)
}

async function replyTo(context: Context, request: IncomingMessage, caller: Caller): Promise<Reply> {
  if (request.method !== 'POST') return refusal(405, envelopeErrors.httpMethod, { allow: 'POST' })
  if (request.url?.split('?', 1)[0] !== '/') return refusal(404, { code: -32600, message: 'JSON-RPC is served at /.' })
  const body = await bytesOf(request)
  if (body === null) return refusal(413, envelopeErrors.tooLarge)
  if (body.length === 0) return refusal(200, envelopeErrors.request)
  const parsed = parsedBody(request, body)
  if ('error' in parsed) return refusal(parsed.status, parsed.error)
  return Array.isArray(parsed.message)
    ? await replyToBatch(context, parsed.message, caller)
    : replyOf([await answerMessage(context.gateway, context.methods, parsed.message, caller)], false)
}

/** Answers in the order of the batch, one after another: a batch is no way around a rate limit or a queue. */
async function replyToBatch(context: Context, messages: unknown[], caller: Caller): Promise<Reply> {
  if (messages.length === 0) return refusal(200, envelopeErrors.emptyBatch)
  if (messages.length > bounds.rpcBatchMessages) return refusal(200, envelopeErrors.longBatch)
  const answered: Answered[] = []
  for (const message of messages) {
    if (caller.signal.aborted) break
    answered.push(await answerMessage(context.gateway, context.methods, message, caller))
  }
  return replyOf(answered, true)
}

/** 429 where every request was over its limit, else 200; nothing at all where there were only notifications. */
function replyOf(answered: Answered[], batch: boolean): Reply {
  const responses = answered.flatMap(({ response }) => (response === null ? [] : [response]))
  const headers = answered.at(-1)?.headers ?? {}
  if (responses.length === 0) return { status: 204, body: null, headers }
  const limited = responses.every(
    (response) =>
      'error' in response &&
      response.error.code === errorTable.RATE_LIMITED.jsonRpc &&
      headers['retry-after'] !== undefined,
  )
  return { status: limited ? 429 : 200, body: batch ? responses : responses[0], headers }
}

function refusal(status: number, error: RpcError, headers: AnswerHeaders = {}): Reply {
  return { status, body: failed(null, error), headers }
}

async function closeGently(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  await closeWithin(graceMs, closed, () => server.closeAllConnections())
}
