import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { errorTable } from '../../contract/shared/errors.ts'
import type { Operation } from '../../contract/shared/operation.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import { onceEach } from '../../gateway/once-each.ts'
import type { Caller, ResponseHeaders } from '../../gateway/request.ts'
import type { HostCheck } from '../address.ts'
import { type Callers, requestIdOf } from '../caller.ts'
import { closeWithin } from '../closing.ts'
import { type CorsRules, corsHeaders, isPreflight } from '../cors.ts'
import { boundTo, type Listening, nodeServer } from '../node-server.ts'
import { jsonrpcProtocol } from '../protocols.ts'
import { disconnectSignal } from '../streams.ts'
import { refuse, respondToAll } from './batch.ts'
import { bytesOf, parsedBody } from './body.ts'
import { documentOf, type OpenRpc } from './document.ts'
import { envelopeErrors, handshakeErrors, hostError, type RpcError, rpcErrorOf, unexpectedFailure } from './errors.ts'
import { failed, methodTable, type RpcContext } from './message.ts'
import { acceptSockets, wantsSocket } from './socket.ts'
import { eventJson } from './subscriptions.ts'

export type RpcParts = Listening & {
  gateway: Gateway
  operations: ReadonlyMap<string, Operation>
  callers: Callers
  cors: CorsRules
  /** False for a Host header that is not served. */
  servesHost: HostCheck
  /** Milliseconds that requests may take to finish once closing. */
  graceMs: number
  /** The generated OpenRPC document, for rpc.discover. */
  openrpc?: OpenRpc
  heartbeatMs?: number
  unexpected(event: { operation: string; requestId: string; error: unknown }): void
}

export type RpcServer = { url: string; port: number; close(): Promise<void> }

type Reply = { status: number; text: string; headers: ResponseHeaders }

/** Starts the JSON-RPC server on `/`: single requests and batches by POST, subscriptions too over WebSocket. */
export async function serveRpc(parts: RpcParts): Promise<RpcServer> {
  const { gateway, openrpc, heartbeatMs = 30_000 } = parts
  const context: RpcContext = {
    gateway,
    openrpc: openrpc && (() => documentOf(openrpc, boundTo(server, parts).url)),
    methods: methodTable(parts.operations),
    eventJson: onceEach(eventJson),
    subscriptions: null,
    unexpected: parts.unexpected,
  }
  const handler = (request: IncomingMessage, response: ServerResponse) =>
    void exchange(parts, context, request, response)
  const server = nodeServer(parts, handler, { shouldUpgradeCallback: wantsSocket })
  const sockets = acceptSockets(server, { ...parts, context, heartbeatMs })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(parts.port, parts.host, resolve)
  })
  return {
    ...boundTo(server, parts),
    close: async () => void (await Promise.all([sockets.close(parts.graceMs), closeGently(server, parts.graceMs)])),
  }
}

async function exchange(
  parts: RpcParts,
  context: RpcContext,
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
  const caller = parts.callers.ofHttp(request, {
    protocol: jsonrpcProtocol,
    requestId,
    signal: disconnectSignal(response),
  })
  const responding = parts.servesHost(request.headers.host)
    ? replyTo(context, request, caller)
    : Promise.resolve(refusal(403, hostError(request.headers.host)))
  const reply = await responding.catch((error: unknown) => {
    if (caller.signal.aborted) return null
    parts.unexpected({ operation: 'jsonrpc', requestId, error })
    return refusal(500, unexpectedFailure(requestId))
  })
  if (reply === null) return
  const { text } = reply
  if (!request.complete) response.shouldKeepAlive = false
  response.writeHead(reply.status, {
    ...common,
    ...reply.headers,
    ...(text === '' ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
  })
  response.end(text)
}

async function replyTo(context: RpcContext, request: IncomingMessage, sender: Caller): Promise<Reply> {
  if (request.method !== 'POST') return refusal(405, envelopeErrors.httpMethod, { allow: 'POST' })
  if (request.url?.split('?', 1)[0] !== '/') return refusal(404, envelopeErrors.path)
  const body = await bytesOf(request)
  if (body === null) return refusal(413, envelopeErrors.tooLarge)
  return await answerTo(context, request, body, sender)
}

/** The answer to the body of a request by POST, a message or a batch of them. */
export async function answerTo(
  context: RpcContext,
  request: IncomingMessage,
  body: Buffer,
  sender: Caller,
): Promise<Reply> {
  if (sender.apiKey === 'unknown') return await refuseKey(context, sender)
  if (body.length === 0) return refusal(200, envelopeErrors.emptyBody)
  const caller = { ...sender, bytes: body.length }
  const parsed = parsedBody(request, body)
  if ('error' in parsed && parsed.status !== 200) return refusal(parsed.status, parsed.error)
  const { text, status, headers } =
    'error' in parsed
      ? await refuse(context, parsed.error, caller)
      : await respondToAll(context, parsed.message, caller)
  return { status, text: text ?? '', headers }
}

/** Refuses an unknown API key. It is counted like any request, so that guessing keys is bounded. */
async function refuseKey({ gateway }: RpcContext, caller: Caller): Promise<Reply> {
  const { headers, ...counted } = await gateway.count('unknown', caller, 'UNAUTHENTICATED')
  const error = counted.ok ? handshakeErrors.apiKey : rpcErrorOf(counted.error, caller.requestId, headers)
  return refusal(error.code === errorTable.RATE_LIMITED.jsonRpc ? 429 : 401, error, headers)
}

/** A refusal of a whole request. */
export function refusal(status: number, error: RpcError, headers: ResponseHeaders = {}): Reply {
  return { status, text: JSON.stringify(failed(null, error)), headers }
}

async function closeGently(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  await closeWithin(graceMs, closed, () => server.closeAllConnections())
}
