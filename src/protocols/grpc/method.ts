/** A method as the generated table has it: bytes in, bytes out, and the operation between them. */
export type GrpcMethod = {
  /** Operation id, such as `trading.quote`. */
  id: string
  /** Full name of the service, such as `trident.v1.TradingService`. */
  service: string
  /** Name of the method, such as `Quote`. */
  method: string
  stream: boolean
  /** Throws on bytes that are not the request message. */
  decodeRequest(bytes: Uint8Array): unknown
  /** Encodes an answer, or one event of a stream. */
  encodeResponse(output: unknown): Buffer
}
