import type { FastifyInstance, FastifyReply } from 'fastify'
import { onceEach } from '../../gateway/once-each.ts'
import { requestIdOf } from '../caller.ts'
import { jsonrpcProtocol } from '../protocols.ts'
import { disconnectSignal } from '../streams.ts'
import { documentOf, type OpenRpc } from './document.ts'
import { envelopeErrors, unexpectedFailure } from './errors.ts'
import { methodTable } from './message.ts'
import { answerTo, type RpcParts, refusal } from './server.ts'
import { eventJson } from './subscriptions.ts'

/** What the route needs of the node's server, and the document once the node's address is known. */
type RouteParts = Pick<RpcParts, 'gateway' | 'operations' | 'callers' | 'unexpected'> & {
  openrpc: OpenRpc
  /** The node's own address, for rpc.discover. */
  url(): string
}

/**
 * A Fastify plugin that serves the methods of the chain node at /rpc, for pages of this origin, which may not call another
 * port. Bodies must arrive as buffers. Subscriptions need the WebSocket of the node's own port.
 */
export function rpcRoute({ openrpc, url, operations, ...parts }: RouteParts): (app: FastifyInstance) => Promise<void> {
  const context = {
    ...parts,
    openrpc: () => documentOf(openrpc, url()),
    methods: methodTable(operations),
    eventJson: onceEach(eventJson),
    subscriptions: null,
  }
  const send = (reply: FastifyReply, { status, text, headers }: Awaited<ReturnType<typeof answerTo>>) =>
    reply.code(status).headers(headers).type('application/json').send(text)
  return async (app) => {
    app.post<{ Body: Buffer | undefined }>('/rpc', {
      errorHandler: (error, request, reply) => {
        const isTooLarge = error.statusCode === 413
        if (!isTooLarge) parts.unexpected({ operation: 'jsonrpc', requestId: request.id, error })
        const refused = isTooLarge
          ? refusal(413, envelopeErrors.tooLarge)
          : refusal(500, unexpectedFailure(requestIdOf(request.id)))
        return send(reply, refused)
      },
      handler: async (request, reply) => {
        const caller = parts.callers.ofHttp(request.raw, {
          protocol: jsonrpcProtocol,
          requestId: requestIdOf(request.id),
          signal: disconnectSignal(reply.raw),
        })
        return send(reply, await answerTo(context, request.raw, request.body ?? Buffer.alloc(0), caller))
      },
    })
  }
}
