import { z } from 'zod'
import type { ErrorCode } from '../shared/errors.ts'
import { operation } from '../shared/operation.ts'
import { blockTag } from '../shared/primitives.ts'
import { blockReference } from './inputs.ts'

/** The block to read, by number or tag. */
export const numberedBlock = blockTag.describe('Block number or tag')
/** The block to read, by number, tag or hash. */
export const namedBlock = blockReference.describe('Block number, tag or hash')
/** Block parameters that mean the latest block when they are left out. */
export const atBlock = numberedBlock.default('latest')
export const atBlockOrHash = namedBlock.default('latest')

/**
 * What a block parameter is: one of these schemas. `node` notes its position as `rpc.block`, from which all others derive
 * it. The newest block of a fee history is the end of a range, and not among them.
 */
const blockParameters: ReadonlySet<unknown> = new Set([numberedBlock, namedBlock, atBlock, atBlockOrHash])

/** Web pages of other origins may not request by GET what costs a node much. */
const foreignPage = 'PERMISSION_DENIED' as const

type NodeMethod<Shape extends z.ZodRawShape, Output extends z.ZodType, Code extends ErrorCode> = {
  summary: string
  description?: string
  /** The fields in the order of the positional parameters. */
  params: Shape
  output: Output
  /** In addition to UNIMPLEMENTED, UNAVAILABLE, DEADLINE_EXCEEDED and LIMIT_EXCEEDED, which every node method may return. */
  errors?: readonly Code[]
  aliases?: readonly string[]
  /** NOT_FOUND is the result null over JSON-RPC. */
  orNull?: true
  /** The stream that has the same in parts. */
  streamedBy?: string
  work?: true
  /** Fields and list items that its input may hold; absent: `bounds.usualValues`. */
  values?: number
  /** It sends, creates or removes something, or returns each result only once. */
  changes?: true
  example: {
    input: z.input<z.ZodObject<Shape, z.core.$strict>>
    output: z.input<Output>
  }
}

/** Declares a unary method of the node, without a token, at the rate of the node. The parameters keep their written order. */
export function node<
  const Method extends string,
  Shape extends z.ZodRawShape,
  Output extends z.ZodType,
  const Code extends ErrorCode = never,
>(method: Method, { params, errors = [], aliases, orNull, changes, ...rest }: NodeMethod<Shape, Output, Code>) {
  const declared = operation({
    ...rest,
    kind: 'unary',
    auth: 'none',
    rate: 'node',
    ...(changes === undefined && { readOnly: true as const, mcp: 'call' as const }),
    input: z.strictObject(params),
    errors: [
      'UNIMPLEMENTED',
      'UNAVAILABLE',
      'DEADLINE_EXCEEDED',
      'LIMIT_EXCEEDED',
      ...(rest.work ? [foreignPage] : []),
      ...errors,
    ],
  })
  const block = Object.values(params).findIndex((schema) => blockParameters.has(schema))
  // Added here, so that the type has the name of the method.
  const rpc = {
    method,
    ...(aliases && { aliases }),
    ...(orNull && { orNull }),
    params: Object.keys(params),
    ...(block !== -1 && { block }),
  }
  return { ...declared, rpc }
}
