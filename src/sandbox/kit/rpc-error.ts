/** A JSON-RPC error in the shape of EIP-1193: viem and wallets read `code` and `data`. */
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

/** The engine is restarting or does not respond. The same request may be sent again. */
export function engineUnavailable(options?: ErrorOptions): RpcError {
  return new RpcError(-32002, 'the chain engine is restarting, try again', { retryable: true }, options)
}

/** Whether an error is retryable as that of `engineUnavailable` is. */
export function isEngineUnavailable(error: unknown): boolean {
  return error instanceof RpcError && error.code === -32002
}
