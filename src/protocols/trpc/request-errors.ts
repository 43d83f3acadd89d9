import type { TRPCError } from '@trpc/server'
import type { ErrorCode } from '../../contract/shared/errors.ts'
import { DomainError } from '../../domain/core/errors.ts'

/** Calls that may share one request. */
export const batchLimit = 10

/** What tRPC itself refuses in a request, in our words: its own quote the request in places. Null where the fault is ours. */
export function requestError(error: TRPCError): DomainError | null {
  if (error.code === 'BAD_REQUEST') return new DomainError('MALFORMED_REQUEST', unreadable(error))
  const known = byCode[error.code]
  return known === undefined ? null : new DomainError(...known)
}

const byCode: Partial<Record<TRPCError['code'], [ErrorCode, string]>> = {
  PARSE_ERROR: ['MALFORMED_REQUEST', 'Leave connectionParams out; the token is read from the authorization header.'],
  METHOD_NOT_SUPPORTED: [
    'MALFORMED_REQUEST',
    'Send a mutation by POST, open a subscription by GET; a query takes both.',
  ],
  NOT_FOUND: ['NOT_FOUND', 'There is no such procedure; /docs lists the operations, whose ids are the paths.'],
  UNSUPPORTED_MEDIA_TYPE: ['UNSUPPORTED_MEDIA_TYPE', 'Send the input as application/json in UTF-8.'],
}

function unreadable({ cause, message }: TRPCError): string {
  if (cause instanceof SyntaxError) return 'The input is not JSON; check quotes, commas and brackets.'
  if (cause !== undefined) return 'The URL cannot be read; check its escapes and the host.'
  return (
    batchRules[message] ??
    'A batch holds queries or mutations, not both and no subscription; its input is an object with a key for each position.'
  )
}

/** By tRPC's sentence, which alone tells these two from other rules of batches. */
const batchRules: Readonly<Record<string, string>> = {
  'Batch call exceeds maximum size': `A batch has at most ${batchLimit} calls; send the others in another.`,
  'Streaming requests must be batched (you can do a batch of 1)':
    'Only a batch is answered by lines: add batch=1, or call through httpBatchStreamLink.',
}
