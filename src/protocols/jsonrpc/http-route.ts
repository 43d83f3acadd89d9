import type { FastifyInstance } from 'fastify'
import { onceEach } from '../../gateway/once-each.ts'
import { requestIdOf } from '../caller.ts'
import { jsonrpcProtocol } from '../protocols.ts'
import { disconnectSignal } from '../streams.ts'
import { documentOf, type OpenRpc } from './document.ts'
import { methodTable } from './message.ts'
import { answerTo, type RpcParts } from './server.ts'
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
  return async (app) => {
    app.post<{ Body: Buffer | undefined }>('/rpc', async (request, reply) => {
      const caller = parts.callers.ofHttp(request.raw, {
        protocol: jsonrpcProtocol,
        requestId: requestIdOf(request.id),
        signal: disconnectSignal(reply.raw),
      })
      const { status, text, headers } = await answerTo(context, request.raw, request.body ?? Buffer.alloc(0), caller)
      return reply.code(status).headers(headers).type('application/json').send(text)
    })
  }
}
