import { callTRPCProcedure, TRPCError } from '@trpc/server'
import type { FastifyReply } from 'fastify'
import { errorOfHttp } from '../http-errors.ts'
import type { TrpcContext } from './dependencies.ts'
import { isUnexpected, shapeOf, trpcErrorOf } from './errors.ts'
import type { TrpcServer } from './parts.ts'
import type { PlainCall } from './plain.ts'

/** Serves a plain call by its procedure alone, which takes a fraction of the time that tRPC's adapter takes. */
export async function respond(server: TrpcServer, plain: PlainCall, context: TrpcContext, reply: FastifyReply) {
  try {
    const data = await run(server, plain, context)
    return send(reply.headers(context.headers), 200, { result: { data } })
  } catch (thrown) {
    return refuse(server, reply.headers(context.headers), thrown, plain.path)
  }
}

/** Runs the procedure of a plain call. That of a subscription returns its events. */
export function run({ router }: TrpcServer, { path, type, input }: PlainCall, context: TrpcContext): Promise<unknown> {
  const { signal } = context.caller
  return callTRPCProcedure({ router, path, type, ctx: context, batchIndex: 0, getRawInput: async () => input, signal })
}

/** Sends an error to the caller. */
export function refuse(server: TrpcServer, reply: FastifyReply, thrown: unknown, path?: string): FastifyReply {
  const shape = shapeOf(errorOf(server, reply, thrown, path), path, reply.request.id)
  return send(reply, shape.data.httpStatus, { error: shape })
}

/** The error that the caller receives. An unexpected one is reported. */
export function errorOf(server: TrpcServer, { request }: FastifyReply, thrown: unknown, operation = 'trpc'): TRPCError {
  const error = thrown instanceof TRPCError ? thrown : httpErrorOf(thrown)
  if (isUnexpected(error)) server.unexpected({ operation, requestId: request.id, error: thrown })
  return error
}

function send(reply: FastifyReply, status: number, body: object): FastifyReply {
  return reply.code(status).headers({ 'content-type': 'application/json' }).send(JSON.stringify(body))
}

function httpErrorOf(thrown: unknown): TRPCError {
  const known = errorOfHttp(thrown)
  return known === null ? new TRPCError({ code: 'INTERNAL_SERVER_ERROR' }) : trpcErrorOf(known)
}
