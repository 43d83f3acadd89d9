// What grpc-js 1.14.7 has no public way to do. Its test fails with another version, so that this is looked at again.
import { constants, type Http2Server, type ServerHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'
import type { Server, ServerCredentials, ServerDuplexStream, ServerInterceptingCallInterface } from '@grpc/grpc-js'
import { DomainError } from '../../domain/core/errors.ts'
import type { Connections } from '../connections.ts'
import { statusOf } from './errors.ts'

/** Looks up the handler of a path. Handlers can be registered for known paths only. */
type Lookup = { _retrieveHandler(path: string): object | null }

/**
 * Refuses unknown methods with a request id and error details, as other refusals have them. grpc-js itself refuses them
 * before any interceptor runs, without either, and repeats the path in its message.
 */
export function refuseUnknownMethods(server: Server): void {
  const lookup = server as unknown as Lookup
  const known = lookup._retrieveHandler.bind(server)
  lookup._retrieveHandler = (path) => known(path) ?? unknownMethod
}

/** Makes the HTTP/2 server of a bound port. */
type Listener = { createHttp2Server(credentials: ServerCredentials): Http2Server }

/** Closes connections that are not admitted, before any TLS handshake. */
export function boundConnections(server: Server, connections: Connections): void {
  const listener = server as unknown as Listener
  const create = listener.createHttp2Server.bind(server)
  listener.createHttp2Server = (credentials) =>
    create(credentials).prependListener('connection', (socket: Socket) => {
      if (!connections.admit(socket)) socket.destroy()
    })
}

/** A handler of the kind that can respond before the first message arrives. */
const unknownMethod = {
  type: 'bidi',
  path: 'unknown',
  serialize: (bytes: Buffer) => bytes,
  deserialize: (bytes: Buffer) => bytes,
  func(call: ServerDuplexStream<Buffer, Buffer>) {
    const error = new DomainError('UNIMPLEMENTED', 'The method is unknown. Server reflection lists the known methods.')
    call.emit('error', statusOf(error, {}, call.metadata.get('x-request-id').join()))
  },
}

/**
 * Closes the HTTP/2 stream of a call that ended before it began. Otherwise it would count against the connection until the
 * client ends its side.
 */
export function closeStream(call: ServerInterceptingCallInterface): void {
  const { stream } = call as unknown as { stream: ServerHttp2Stream }
  stream.close(constants.NGHTTP2_NO_ERROR)
}
