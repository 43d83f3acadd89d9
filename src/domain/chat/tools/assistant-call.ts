import type { Operation } from '../../../contract/shared/operation.ts'
import { type Call, callOf, type PrincipalOf } from '../../core/handler.ts'

/**
 * The call of an operation from within an answer. It has the caller's rights and marks lead nowhere, for the answer is
 * not the operation's own; who sent the request is not told, since no such operation asks.
 */
export function assistantCall<O extends Operation>(principal: PrincipalOf<O>, signal: AbortSignal): Call<O> {
  return callOf<O>({
    principal,
    signal,
    left: signal,
    requestId: 'assistant',
    clientAddress: 'assistant',
    keyOrAddress: 'assistant',
    tier: 'free',
    markReplayed: () => undefined,
    nameStream: () => undefined,
    reportFailure: () => undefined,
  })
}
