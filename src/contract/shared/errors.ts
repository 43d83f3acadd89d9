/** A violation of an input: the path of the field with dots (empty for the whole input), the message, and the name of the rule. */
export type Violation = { path: string; message: string; code: string }

/**
 * Every error that the gateway can return. A protocol reads its own column and defines no errors of its own.
 *
 * `http` is the REST status, `trpc` the tRPC error key, `grpc` the gRPC status number, `jsonRpc` the JSON-RPC code;
 * `retry` is true only where the same request can succeed later; `title` is that of RFC 9457; `remedy` is what a caller
 * does next.
 */
export const errorTable = {
  INVALID_ARGUMENT: {
    http: 422,
    trpc: 'UNPROCESSABLE_CONTENT',
    grpc: 3,
    jsonRpc: -32602,
    retry: false,
    title: 'The request is not valid',
    remedy: 'Correct the fields that the error names; the same request is refused again',
  },
  MALFORMED_REQUEST: {
    http: 400,
    trpc: 'BAD_REQUEST',
    grpc: 3,
    jsonRpc: -32700,
    retry: false,
    title: 'The request cannot be read',
    remedy: 'Send valid JSON and escape what stands in the URL; the message names the part that cannot be read',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    http: 415,
    trpc: 'UNSUPPORTED_MEDIA_TYPE',
    grpc: 3,
    jsonRpc: -32600,
    retry: false,
    title: 'The content type is not supported',
    remedy: 'Send the body as JSON, with content-type: application/json',
  },
  PAYLOAD_TOO_LARGE: {
    http: 413,
    trpc: 'PAYLOAD_TOO_LARGE',
    grpc: 8,
    jsonRpc: -32600,
    retry: false,
    title: 'The request or its answer is too large',
    remedy: 'Send or ask for less: fewer items, a shorter range, a page, or a stream',
  },
  UNAUTHENTICATED: {
    http: 401,
    trpc: 'UNAUTHORIZED',
    grpc: 16,
    jsonRpc: -32000,
    retry: false,
    title: 'Valid credentials are required',
    remedy: 'Log in again, and send the new token as authorization: Bearer',
  },
  PERMISSION_DENIED: {
    http: 403,
    trpc: 'FORBIDDEN',
    grpc: 7,
    jsonRpc: -32000,
    retry: false,
    title: 'The request is not allowed',
    remedy: 'Use a token that may do it; the message names the scope, limit or halt in the way',
  },
  NOT_FOUND: {
    http: 404,
    trpc: 'NOT_FOUND',
    grpc: 5,
    jsonRpc: -32001,
    retry: false,
    title: 'Not found',
    remedy: 'Check the id and the account: it may have expired, or belong to another account',
  },
  ALREADY_EXISTS: {
    http: 409,
    trpc: 'CONFLICT',
    grpc: 6,
    jsonRpc: -32000,
    retry: false,
    title: 'The request conflicts with existing data',
    remedy: 'Read what exists, or choose another name or key',
  },
  FAILED_PRECONDITION: {
    http: 412,
    trpc: 'PRECONDITION_FAILED',
    grpc: 9,
    jsonRpc: -32000,
    retry: false,
    title: 'The current state does not allow the request',
    remedy: 'Do first what the message names, then send the request again',
  },
  RATE_LIMITED: {
    http: 429,
    trpc: 'TOO_MANY_REQUESTS',
    grpc: 8,
    jsonRpc: -32005,
    retry: true,
    title: 'Too many requests',
    remedy: 'Wait as many seconds as retry-after says, then send the request again',
  },
  LIMIT_EXCEEDED: {
    http: 422,
    trpc: 'UNPROCESSABLE_CONTENT',
    grpc: 11,
    jsonRpc: -32005,
    retry: false,
    title: 'The request exceeds a limit',
    remedy: 'Ask for less; the message names the limit',
  },
  STORAGE_FULL: {
    http: 507,
    trpc: 'UNPROCESSABLE_CONTENT',
    grpc: 8,
    jsonRpc: -32005,
    retry: false,
    title: 'The account keeps as much as it may',
    remedy: 'Delete what you no longer need, then send the request again',
  },
  CANCELLED: {
    http: 499,
    trpc: 'CLIENT_CLOSED_REQUEST',
    grpc: 1,
    jsonRpc: -32000,
    retry: false,
    title: 'The request was cancelled',
    remedy: 'Send it again if you still want the answer',
  },
  DEADLINE_EXCEEDED: {
    http: 504,
    trpc: 'GATEWAY_TIMEOUT',
    grpc: 4,
    jsonRpc: -32002,
    retry: true,
    title: 'The request took too long',
    remedy: 'Send it again; a trade with the same idempotency_key',
  },
  UNAVAILABLE: {
    http: 503,
    trpc: 'SERVICE_UNAVAILABLE',
    grpc: 14,
    jsonRpc: -32002,
    retry: true,
    title: 'A part of the service is not available',
    remedy: 'Wait as many seconds as retry-after says, then send it again; a trade with the same idempotency_key',
  },
  UNIMPLEMENTED: {
    http: 501,
    trpc: 'NOT_IMPLEMENTED',
    grpc: 12,
    jsonRpc: -32004,
    retry: false,
    title: 'Not implemented',
    remedy: 'Use another method or chain; the message says what this one lacks',
  },
  EXECUTION_REVERTED: {
    http: 422,
    trpc: 'UNPROCESSABLE_CONTENT',
    grpc: 9,
    jsonRpc: 3,
    retry: false,
    title: 'The contract reverted',
    remedy: 'Read the reason of the contract in the message, and change the call',
  },
  TRANSACTION_REJECTED: {
    http: 422,
    trpc: 'UNPROCESSABLE_CONTENT',
    grpc: 9,
    jsonRpc: -32003,
    retry: false,
    title: 'The transaction is not valid',
    remedy: 'Correct the transaction as the message says, and sign it again',
  },
  NOT_INCLUDED_YET: {
    http: 504,
    trpc: 'GATEWAY_TIMEOUT',
    grpc: 4,
    jsonRpc: 4,
    retry: true,
    title: 'The transaction was accepted but is not in a block yet',
    remedy: 'Look for its receipt; do not sign another one with the same nonce',
  },
  INTERNAL: {
    http: 500,
    trpc: 'INTERNAL_SERVER_ERROR',
    grpc: 13,
    jsonRpc: -32603,
    retry: false,
    title: 'The gateway failed unexpectedly',
    remedy: 'Look whether it took effect, then send it again; report the request id if it stays',
  },
} as const satisfies Record<string, ErrorRow>

type ErrorRow = {
  http: number
  trpc: string
  grpc: number
  jsonRpc: number
  retry: boolean
  title: string
  remedy: string
}

export type ErrorCode = keyof typeof errorTable

/**
 * Why eth_simulateV1 cannot run a simulation. An error has the name as `simulation` in its metadata, and over JSON-RPC the
 * code of execution-apis in place of that of its row above.
 */
export const simulationErrors = {
  nonce_too_low: { jsonRpc: -38010, title: 'nonce too low', row: 'FAILED_PRECONDITION' },
  nonce_too_high: { jsonRpc: -38011, title: 'nonce too high', row: 'FAILED_PRECONDITION' },
  base_fee_too_low: { jsonRpc: -38012, title: 'max fee per gas less than block base fee', row: 'FAILED_PRECONDITION' },
  intrinsic_gas_too_low: { jsonRpc: -38013, title: 'intrinsic gas too low', row: 'FAILED_PRECONDITION' },
  insufficient_funds: {
    jsonRpc: -38014,
    title: 'insufficient funds for gas * price + value',
    row: 'FAILED_PRECONDITION',
  },
  gas_limit_reached: { jsonRpc: -38015, title: 'block gas limit reached', row: 'FAILED_PRECONDITION' },
  number_not_rising: { jsonRpc: -38020, title: 'block numbers must be in order', row: 'INVALID_ARGUMENT' },
  time_not_rising: { jsonRpc: -38021, title: 'block timestamps must be in order', row: 'INVALID_ARGUMENT' },
  precompile_moved_to_itself: {
    jsonRpc: -38022,
    title: 'precompile moved to its own address',
    row: 'INVALID_ARGUMENT',
  },
  precompile_moved_twice: {
    jsonRpc: -38023,
    title: 'several precompiles moved to one address',
    row: 'INVALID_ARGUMENT',
  },
  sender_not_eoa: { jsonRpc: -38024, title: 'sender is not an EOA', row: 'FAILED_PRECONDITION' },
  init_code_too_large: { jsonRpc: -38025, title: 'max initcode size exceeded', row: 'FAILED_PRECONDITION' },
  too_many_blocks: { jsonRpc: -38026, title: 'too many blocks', row: 'INVALID_ARGUMENT' },
} as const satisfies Record<string, { jsonRpc: number; title: string; row: ErrorCode }>

export type SimulationError = keyof typeof simulationErrors

/** The JSON-RPC code of an error. */
export function rpcCodeOf(code: ErrorCode, metadata: Readonly<Record<string, string>> = {}): number {
  const { simulation } = metadata
  const isKnown = simulation !== undefined && Object.hasOwn(simulationErrors, simulation)
  return isKnown ? simulationErrors[simulation as SimulationError].jsonRpc : errorTable[code].jsonRpc
}

const rpcWords: Readonly<Record<number, string>> = {
  [-32700]: 'Parse error',
  [-32600]: 'Invalid request',
  [-32601]: 'Method not found',
  [-32602]: 'Invalid params',
  [-32603]: 'Internal error',
  [-32000]: 'Server error',
  [-32001]: 'Resource not found',
  [-32002]: 'Resource unavailable',
  [-32003]: 'Transaction rejected',
  [-32004]: 'Method not supported',
  [-32005]: 'Limit exceeded',
}

/** The message of a JSON-RPC error begins with the words of its code (JSON-RPC 2.0, EIP-1474), where that has any. */
export function rpcMessage(code: number, reason: string): string {
  const begin = rpcWords[code]
  return begin === undefined ? reason : `${begin}: ${reason}`
}

/** The domain of the codes in google.rpc.ErrorInfo. */
export const errorDomain = 'trident.dev'

/** The `type` of a problem document (RFC 9457). */
export function problemTypeOf(code: string): string {
  return `urn:trident:error:${code.toLowerCase().replaceAll('_', '-')}`
}

/**
 * Codes that every operation may return without declaring them: the gateway itself returns them, UNAVAILABLE while its
 * database does not respond.
 */
export const commonErrors = [
  'INVALID_ARGUMENT',
  'UNAUTHENTICATED',
  'RATE_LIMITED',
  'UNAVAILABLE',
  'INTERNAL',
] as const satisfies ErrorCode[]

/** Codes of the gateway: the common ones, those of decoding a request, and that of a caller who disconnected. */
export const gatewayCodes: ReadonlySet<ErrorCode> = new Set([
  ...commonErrors,
  'MALFORMED_REQUEST',
  'UNSUPPORTED_MEDIA_TYPE',
  'UNIMPLEMENTED',
  'CANCELLED',
])

/** The message for an API key that is not configured. */
export const unknownApiKey = 'The x-api-key is unknown. Check it, or send none for the free tier.'

/** What an error may have in addition to its message; the same on every protocol. */
export type ErrorDetails = {
  violations?: Violation[]
  /** Seconds until a retry can succeed. Null where that is unknown; absent: one second for an error that a retry can help. */
  retryAfterSeconds?: number | null
  /** Facts for programs, such as `{known_chains: '84532'}`. */
  metadata?: Record<string, string>
}
