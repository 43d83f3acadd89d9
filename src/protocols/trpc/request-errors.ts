import type { TRPCError } from '@trpc/server'
import type { ErrorCode } from '../../contract/shared/errors.ts'
import { DomainError } from '../../domain/core/errors.ts'

/** Most calls of one batch. */
export const batchLimit = 10

/** tRPC gives the same code to all of these faults, and no other sign. */
const brokenBatch =
  `A batch holds at most ${batchLimit} calls: queries or mutations, not both, and no subscription. Its input is an ` +
  'object with a key for each position. Only a batch can have a streamed response: add batch=1, or call through ' +
  'httpBatchStreamLink.'

/** The error of a request that tRPC cannot read. tRPC's own message may quote the request. Null for a failure of ours. */
export function requestError(error: TRPCError): DomainError | null {
  if (error.code === 'BAD_REQUEST') return new DomainError('MALFORMED_REQUEST', unreadable(error))
  const known = byCode[error.code]
  return known === undefined ? null : new DomainError(...known)
}

const byCode: Partial<Record<TRPCError['code'], [ErrorCode, string]>> = {
  PARSE_ERROR: ['MALFORMED_REQUEST', 'Leave connectionParams out. Send the token in the authorization header.'],
  METHOD_NOT_SUPPORTED: [
    'MALFORMED_REQUEST',
    'Send a mutation by POST, a subscription by GET, and a query by either of them.',
  ],
  NOT_FOUND: ['NOT_FOUND', 'The procedure is unknown. The path is an operation id; /docs lists the operations.'],
  UNSUPPORTED_MEDIA_TYPE: ['UNSUPPORTED_MEDIA_TYPE', 'Send the input as application/json in UTF-8.'],
}

function unreadable({ cause }: TRPCError): string {
  if (cause instanceof SyntaxError) return 'The input is not JSON. Check quotes, commas and brackets.'
  if (cause !== undefined) return 'The URL cannot be read. Check its escapes and the host.'
  return brokenBatch
}
