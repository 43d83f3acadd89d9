/** A JSON-RPC error in the shape EIP-1193 asks of a provider: viem and wallets read `code` and `data`. */
export class RpcError extends Error {
  override name = 'RpcError'
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.data = data
  }
}

/** The engine is being rebuilt or does not answer; the same request may be sent again. */
export function engineUnavailable(options?: ErrorOptions): RpcError {
  return new RpcError(-32002, 'the chain engine is restarting, try again', { retryable: true }, options)
}

/** Tells the error that `engineUnavailable` makes from all others. */
export function isEngineUnavailable(error: unknown): boolean {
  return error instanceof RpcError && error.code === -32002
}
