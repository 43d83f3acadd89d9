import type { z } from 'zod'
import type { Deprecation } from './deprecation.ts'
import type { ErrorCode, ErrorDetails } from './errors.ts'
import type { Scope } from './grants.ts'
import type { RateClass } from './limits.ts'

/** The required token: none, a user token, a session token, either of these, or the operator's. */
export type Auth = 'none' | 'user' | 'session' | 'any' | 'operator'

/** How REST serves the operation. Fields in `{braces}` come from the path; for GET and DELETE the others are the query. */
export type HttpBinding = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: `/${string}`
  /** A form's operation takes its fields as JSON too; the others take JSON alone. */
  body?: 'json' | 'form'
  /**
   * Of a stream that is written as lines of data alone: what a ping says, and what a failure says besides its `error`.
   * Without it the events have their ids as an EventSource reads them.
   */
  emptyEvent?: Record<string, string>
}

/** How JSON-RPC serves the operation: the method, and the input fields of its positional parameters, in order. */
export type RpcBinding = {
  method: string
  aliases?: readonly string[]
  params: readonly string[]
  /** Position of the parameter that names the block to read, where the method has one. */
  block?: number
  /** NOT_FOUND is the result null over JSON-RPC, as in every node; protobuf has no null for a list. */
  orNull?: true
}

export type Operation<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
  Code extends ErrorCode = ErrorCode,
  Kind extends 'unary' | 'stream' = 'unary' | 'stream',
  Who extends Auth = Auth,
> = {
  /** `stream` sends events of the output schema until it ends. */
  kind: Kind
  summary: string
  description?: string
  /** Set where its removal is announced; documents and responses say so. */
  deprecated?: Deprecation
  auth: Who
  /**
   * What a session must be allowed to do, for each operation that takes a session token; `none`: what every session may do,
   * such as ending itself. A user token may do everything.
   */
  scope?: Scope | 'none'
  /**
   * The class that its requests count against. `restrain` is for what ends or restrains, so that nothing else keeps the
   * account from it: only user tokens draw on it, and what a session asks for counts as `default`.
   */
  rate: RateClass
  /** Operations that it makes as a part of itself, for a caller that makes its input: they share its count and its scope. */
  parts?: readonly string[]
  /** The inputs that trade, which count against `execute`: in place of the class, or besides it. */
  trades?: { when(input: z.output<Input>): boolean; counts: 'instead' | 'besides' }
  /**
   * It may cost the node more than other requests: the gas that it uses counts against the caller's work too. Web pages
   * of other origins may not request it by GET, except where it is only `counted`.
   */
  work?: true | 'counted'
  /** Fields and list items that an input may hold at all depths together; absent: `bounds.usualValues`. */
  values?: number
  /** The most streams of this operation that one account has open at once; absent: only the limit of all streams holds. */
  openAtOnce?: number
  /** The stream that has the same in parts, for an answer that is too long. */
  streamedBy?: string
  /** The field of the output that holds a list: REST answers it as CSV to `Accept: text/csv`. */
  table?: string
  /**
   * Tools of MCP call it that take an operation by its name: `read_chain` a method of the chain, `call_operation` any other.
   * Only for what moves no money, changes nothing that lasts, shows no secret and is neither a conversation nor the
   * operator's.
   */
  mcp?: 'call'
  /** Absent for chain methods and the stream of logs, which REST does not serve. */
  http?: HttpBinding
  rpc?: RpcBinding
  /** The operation changes nothing, like every GET. tRPC serves it as a query. */
  readOnly?: true
  /**
   * `z.strictObject` refuses unknown fields: wherever a field sets an amount, a limit, a filter or a right. `z.object`
   * ignores them, and the response names them in `x-ignored-fields`.
   */
  input: Input
  output: Output
  /** Codes that its handler may return in addition to the common ones; any other becomes INTERNAL. */
  errors: readonly Code[]
  /** `finish`: the work continues when the caller disconnects. Otherwise it is aborted. */
  onDisconnect?: 'abort' | 'finish'
  /** The response contains a secret and must not be cached or logged. */
  secret?: boolean
  /** The body of a refusal on REST, where that is not a problem document. */
  refusal?: (error: { message: string; details?: ErrorDetails }, now: Date) => z.input<Output>
  /** Further facts for programs in a refusal, on every protocol. */
  refusalFacts?: (details: ErrorDetails, now: Date) => Record<string, string>
  example: { input: z.input<Input>; output: z.input<Output> }
}

/** Declares an operation. An identity function that checks the example and the codes against the schemas. */
export function operation<
  Input extends z.ZodObject,
  Output extends z.ZodType,
  const Kind extends 'unary' | 'stream',
  const Who extends Auth,
  const Code extends ErrorCode = never,
>(declaration: Operation<Input, Output, Code, Kind, Who>): Operation<Input, Output, Code, Kind, Who> {
  return declaration
}

/** The codes of an operation besides the common ones: its handler's, and that of a session without its scope. */
export function codesOf({ errors, scope = 'none' }: Pick<Operation, 'errors' | 'scope'>): readonly ErrorCode[] {
  return scope === 'none' ? errors : [...new Set<ErrorCode>([...errors, 'PERMISSION_DENIED'])]
}

export type InputOf<O> = O extends { input: infer I extends z.ZodType } ? z.output<I> : never
/** What a handler returns, before the output schema removes unknown fields and sets defaults. */
export type OutputOf<O> = O extends { output: infer T extends z.ZodType } ? z.input<T> : never
export type ErrorsOf<O> = O extends { errors: readonly (infer E extends ErrorCode)[] } ? E : never
