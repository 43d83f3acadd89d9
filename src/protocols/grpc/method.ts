/** A method of the generated table: it decodes the request of an operation and encodes the response. */
export type GrpcMethod = {
  /** Operation id, such as `trading.quote`. */
  id: string
  /** Full name of the service, such as `trident.v1.TradingService`. */
  service: string
  /** Name of the method, such as `Quote`. */
  method: string
  stream: boolean
  /** `service/method` of the stream that has the same in parts. */
  streamedBy?: string
  /** Throws on bytes that are not the request message. */
  decodeRequest(bytes: Uint8Array): unknown
  /** Encodes an output, or one event of a stream. */
  encodeResponse(output: unknown): Buffer
}
