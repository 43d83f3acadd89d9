import { callTRPCProcedure, TRPCError } from '@trpc/server'
import type { FastifyReply } from 'fastify'
import { errorOfHttp } from '../http-errors.ts'
import type { TrpcContext } from './dependencies.ts'
import { isUnexpected, shapeOf, trpcErrorOf } from './errors.ts'
import type { TrpcParts } from './parts.ts'
import type { PlainCall } from './plain.ts'

/** Answers a plain call by its procedure alone, which is a fraction of the work that finding out what else it may be is. */
export async function answer(parts: TrpcParts, plain: PlainCall, context: TrpcContext, reply: FastifyReply) {
  try {
    const data = await run(parts, plain, context)
    return send(reply.headers(context.headers), 200, { result: { data } })
  } catch (thrown) {
    return refuse(parts, reply.headers(context.headers), thrown, plain.path)
  }
}

/** Runs the procedure of a plain call; of a subscription, its events are the answer. */
export function run({ router }: TrpcParts, { path, type, input }: PlainCall, context: TrpcContext): Promise<unknown> {
  const { signal } = context.caller
  return callTRPCProcedure({ router, path, type, ctx: context, batchIndex: 0, getRawInput: async () => input, signal })
}

/** Sends the error that a caller is told. */
export function refuse(parts: TrpcParts, reply: FastifyReply, thrown: unknown, path?: string): FastifyReply {
  const shape = shapeOf(told(parts, reply, thrown, path), path, reply.request.id)
  return send(reply, shape.data.httpStatus, { error: shape })
}

/** The error that a caller is told; what is unexpected is reported. */
export function told(parts: TrpcParts, { request }: FastifyReply, thrown: unknown, operation = 'trpc'): TRPCError {
  const error = thrown instanceof TRPCError ? thrown : ownError(thrown)
  if (isUnexpected(error)) parts.unexpected({ operation, requestId: request.id, error: thrown })
  return error
}

function send(reply: FastifyReply, status: number, answer: object): FastifyReply {
  return reply.code(status).headers({ 'content-type': 'application/json' }).send(JSON.stringify(answer))
}

function ownError(thrown: unknown): TRPCError {
  const known = errorOfHttp(thrown)
  return known === null ? new TRPCError({ code: 'INTERNAL_SERVER_ERROR' }) : trpcErrorOf(known)
}
