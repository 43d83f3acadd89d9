import { z } from 'zod'
import type { ErrorCode } from '../shared/errors.ts'
import { operation } from '../shared/operation.ts'
import { blockTag } from '../shared/primitives.ts'
import { blockReference } from './inputs.ts'

type NodeMethod<Shape extends z.ZodRawShape, Output extends z.ZodType, Code extends ErrorCode> = {
  summary: string
  description?: string
  /** The fields in the order of the positional parameters. */
  params: Shape
  output: Output
  /** Beside UNIMPLEMENTED, UNAVAILABLE, DEADLINE_EXCEEDED and LIMIT_EXCEEDED, which every node method may raise. */
  errors?: readonly Code[]
  aliases?: readonly string[]
  /** Beside the declared errors NOT_FOUND, which is null over JSON-RPC. */
  orNull?: true
  /** It sends, makes or removes something, or its answer is told once. */
  changes?: true
  example: {
    input: z.input<z.ZodObject<Shape, z.core.$strict>>
    output: z.input<Output>
  }
}

/** Declares a method of the node: one answer, no token, the rate class of the node, the parameters in written order. */
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
    ...(changes === undefined && { readOnly: true as const }),
    input: z.strictObject(params),
    errors: ['UNIMPLEMENTED', 'UNAVAILABLE', 'DEADLINE_EXCEEDED', 'LIMIT_EXCEEDED', ...errors],
  })
  // Apart, so that the type has the name of the method.
  const rpc = { method, ...(aliases && { aliases }), ...(orNull && { orNull }), params: Object.keys(params) }
  return { ...declared, rpc }
}

/** The block parameter where the node takes a number or a tag, and where it takes a hash too; `latest` when left out. */
export const atBlock = blockTag.describe('Block number or tag').default('latest')
export const atBlockOrHash = blockReference.describe('Block number, tag or hash').default('latest')
