import type { Server, ServerDuplexStream } from '@grpc/grpc-js'
import { DomainError } from '../../domain/core/errors.ts'
import { statusOf } from './errors.ts'

/**
 * Looks up the handler of a path. grpc-js has no public way to handle unknown methods: it refuses them before any
 * interceptor runs, and handlers can be registered for known paths only.
 */
type Lookup = { _retrieveHandler(path: string): object | null }

/**
 * Refuses unknown methods with a request id and error details, as other refusals have them. grpc-js itself would repeat the
 * path in its message, and send neither.
 */
export function refuseUnknownMethods(server: Server): void {
  const lookup = server as unknown as Lookup
  const known = lookup._retrieveHandler.bind(server)
  lookup._retrieveHandler = (path) => known(path) ?? unknownMethod
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
