/** The request headers of a gRPC call over bare HTTP/2. */
export const grpcHeaders = { ':method': 'POST', 'content-type': 'application/grpc', te: 'trailers' }

/** A message with its length prefix, as gRPC sends it. */
export function framed(message: Uint8Array, flag = 0, length = message.length): Buffer {
  const prefix = Buffer.alloc(5)
  prefix.writeUInt8(flag, 0)
  prefix.writeUInt32BE(length >>> 0, 1)
  return Buffer.concat([prefix, message])
}
