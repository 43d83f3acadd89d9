import { TRPCError } from '@trpc/server'
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc'
import type { ErrorShape } from '../../../generated/client/index.d.ts'
import { errorTable } from '../../contract/shared/errors.ts'
import { DomainError, unexpectedError } from '../../domain/core/errors.ts'
import { requestError } from './request-errors.ts'

export function trpcErrorOf(error: DomainError): TRPCError {
  return new TRPCError({ code: errorTable[error.code].trpc, message: error.message, cause: error })
}

/** The shape of an error: one of the domain, of tRPC for a request that it cannot read, or an unexpected one, which is hidden. */
export function shapeOf(error: TRPCError, path: string | undefined, requestId: string): ErrorShape {
  const known = error.cause instanceof DomainError ? error.cause : (requestError(error) ?? unexpectedError(requestId))
  const row = errorTable[known.code]
  const { violations, retryAfterSeconds, metadata } = known.details
  const wrongMethod = error.code === 'METHOD_NOT_SUPPORTED'
  return {
    message: known.message,
    code: TRPC_ERROR_CODES_BY_KEY[wrongMethod ? error.code : row.trpc],
    data: {
      code: wrongMethod ? error.code : row.trpc,
      httpStatus: wrongMethod ? 405 : row.http,
      ...(path === undefined ? {} : { path }),
      trident: {
        code: wrongMethod ? 'METHOD_NOT_ALLOWED' : known.code,
        request_id: requestId,
        ...(violations === undefined ? {} : { errors: violations }),
        ...(retryAfterSeconds == null ? {} : { retry_after_seconds: retryAfterSeconds }),
        ...(metadata === undefined ? {} : { metadata }),
      },
    },
  }
}

/** True for a failure of the server that the gateway has not reported. */
export function isUnexpected(error: TRPCError): boolean {
  return error.code === 'INTERNAL_SERVER_ERROR' && !(error.cause instanceof DomainError)
}
