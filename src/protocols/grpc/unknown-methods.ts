import type { Server, ServerDuplexStream } from '@grpc/grpc-js'
import { DomainError } from '../../domain/core/errors.ts'
import { statusOf } from './errors.ts'

/** Where grpc-js looks a method up by its path; it has no public place for what no service has. */
type Lookup = { _retrieveHandler(path: string): object | null }

/**
 * Refuses methods that no service has like any other call. Otherwise grpc-js repeats the path in a header of its own,
 * without a request id and without details.
 */
export function refuseUnknownMethods(server: Server): void {
  const lookup = server as unknown as Lookup
  const known = lookup._retrieveHandler.bind(server)
  lookup._retrieveHandler = (path) => known(path) ?? unknownMethod
}

/** Of the kind that answers before a message has come. */
const unknownMethod = {
  type: 'bidi',
  path: 'unknown',
  serialize: (bytes: Buffer) => bytes,
  deserialize: (bytes: Buffer) => bytes,
  func(call: ServerDuplexStream<Buffer, Buffer>) {
    const error = new DomainError('UNIMPLEMENTED', 'There is no such method; server reflection lists those there are.')
    call.emit('error', statusOf(error, {}, call.metadata.get('x-request-id').join()))
  },
}
