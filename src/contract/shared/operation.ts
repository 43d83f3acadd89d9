import type { z } from 'zod'
import type { Deprecation } from './deprecation.ts'
import type { ErrorCode, ErrorDetails } from './errors.ts'
import type { RateClass } from './limits.ts'

/** Who may call: nobody in particular, a user token, a session token, either of them, or the operator. */
export type Auth = 'none' | 'user' | 'session' | 'any' | 'operator'

/** How REST reaches the operation. Fields named in `{braces}` come from the path; a GET or DELETE takes the rest as query. */
export type HttpBinding = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: `/${string}`
  /** Encoding of the request body; JSON unless said. */
  body?: 'json' | 'form'
}

/** How JSON-RPC reaches the operation: the method, and which input fields its positional parameters fill, in order. */
export type RpcBinding = {
  method: string
  aliases?: readonly string[]
  params: readonly string[]
  /** Position of the parameter that names the block to read, where the method has one. */
  block?: number
  /** NOT_FOUND is the result null there, as every node has it; protobuf has no null for a list. */
  orNull?: true
}

export type Operation<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
  Code extends ErrorCode = ErrorCode,
  Kind extends 'unary' | 'stream' = 'unary' | 'stream',
  Who extends Auth = Auth,
> = {
  /** `stream` answers with events of the output schema until it ends. */
  kind: Kind
  summary: string
  description?: string
  /** Its end is announced; every document and answer says so. */
  deprecated?: Deprecation
  auth: Who
  rate: RateClass
  /** Absent for chain methods, which REST does not serve. */
  http?: HttpBinding
  rpc?: RpcBinding
  /** It changes nothing, as a GET never does. tRPC serves it as a query. */
  readOnly?: true
  input: Input
  output: Output
  /** Codes its handler may raise beside the common ones; another one becomes INTERNAL. */
  errors: readonly Code[]
  /** `finish`: a caller that leaves stops nothing. Otherwise leaving aborts the work. */
  onDisconnect?: 'abort' | 'finish'
  /** The answer holds a secret and must not be cached or logged. */
  secret?: boolean
  /** The shape of a refusal at this moment on REST, where it is not a problem document. */
  refusal?: (error: { message: string; details?: ErrorDetails }, now: Date) => z.input<Output>
  /** Facts for programs that a refusal at this moment carries on every protocol, beside those that its error has. */
  refusalFacts?: (details: ErrorDetails, now: Date) => Record<string, string>
  example: { input: z.input<Input>; output: z.input<Output> }
}

/** Declares an operation; the identity function that ties the example and the codes to the schemas. */
export function operation<
  Input extends z.ZodObject,
  Output extends z.ZodType,
  const Kind extends 'unary' | 'stream',
  const Who extends Auth,
  const Code extends ErrorCode = never,
>(declaration: Operation<Input, Output, Code, Kind, Who>): Operation<Input, Output, Code, Kind, Who> {
  return declaration
}

export type InputOf<O> = O extends { input: infer I extends z.ZodType } ? z.output<I> : never
/** What a handler returns, before the output schema strips and defaults. */
export type OutputOf<O> = O extends { output: infer T extends z.ZodType } ? z.input<T> : never
export type ErrorsOf<O> = O extends { errors: readonly (infer E extends ErrorCode)[] } ? E : never
