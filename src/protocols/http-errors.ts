import type { FastifyReply } from 'fastify'
import type { ErrorCode } from '../contract/shared/errors.ts'
import type { Operation } from '../contract/shared/operation.ts'
import type { Problem } from '../contract/shared/problem.ts'
import { DomainError } from '../domain/core/errors.ts'
import type { ResponseHeaders } from '../gateway/request.ts'
import { problemOf, problemType } from './problem.ts'

/** Sends an error as a problem document, or in the shape that its operation declares for refusals. */
export function sendFailure(
  reply: FastifyReply,
  error: DomainError,
  headers: ResponseHeaders,
  operation?: Operation,
): FastifyReply {
  const problem = problemOf(error, reply.request.id)
  reply.headers(headers)
  if (error.code === 'UNAUTHENTICATED' && !reply.hasHeader('www-authenticate'))
    reply.header('www-authenticate', 'Bearer')
  if (operation?.refusal === undefined) return sendProblem(reply, problem)
  return reply
    .code(problem.status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(operation.refusal(error, new Date())))
}

export function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  return reply.code(problem.status).type(problemType).send(JSON.stringify(problem))
}

/** The error that the caller receives for what Fastify or a parser threw; null for a failure of the server. */
export function errorOfHttp(thrown: unknown): DomainError | null {
  if (thrown instanceof DomainError) return thrown
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
  const known = fastifyErrors[code]
  if (known !== undefined) return new DomainError(known.code, known.message, {}, thrown)
  const status = thrown instanceof Error && 'statusCode' in thrown ? Number(thrown.statusCode) : 500
  if (status < 400 || status >= 500) return null
  return new DomainError(
    'MALFORMED_REQUEST',
    'The request cannot be read. Check its path, headers and length.',
    {},
    thrown,
  )
}

const fastifyErrors: Record<string, { code: ErrorCode; message: string }> = {
  FST_ERR_BAD_URL: {
    code: 'MALFORMED_REQUEST',
    message: 'The path is no percent-encoded UTF-8 text. Write % as %25, and other bytes than ASCII as UTF-8.',
  },
  FST_ERR_CTP_BODY_TOO_LARGE: {
    code: 'PAYLOAD_TOO_LARGE',
    message: 'The body is larger than 1 MiB. Send less at once.',
  },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: 'UNSUPPORTED_MEDIA_TYPE',
    message: 'This path does not accept the content type.',
  },
}
