import type { Operation } from '../../../contract/shared/operation.ts'
import { type Call, callOf, type PrincipalOf } from '../../core/handler.ts'

/**
 * The call of an operation from within an answer, with the caller's rights. Its marks and names have no effect, for the
 * response is the assistant's own. No operation used here reads who sent the request.
 */
export function assistantCall<O extends Operation>(principal: PrincipalOf<O>, signal: AbortSignal): Call<O> {
  return callOf<O>({
    principal,
    holder: null,
    signal,
    disconnected: signal,
    requestId: 'assistant',
    clientAddress: 'assistant',
    ownAddress: null,
    keyOrAddress: 'assistant',
    tier: 'free',
    spent: () => undefined,
    markReplayed: () => undefined,
    nameStream: () => undefined,
    reportFailure: () => undefined,
  })
}
