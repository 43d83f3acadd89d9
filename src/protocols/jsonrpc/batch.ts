import { errorTable } from '../../contract/shared/errors.ts'
import { bounds } from '../../contract/shared/limits.ts'
import type { Caller, ResponseHeaders } from '../../gateway/request.ts'
import { codeOf, envelopeErrors, overLimit, type RpcError, unexpectedFailure } from './errors.ts'
import {
  failed,
  type MessageResponse,
  type RpcContext,
  type RpcResponse,
  refusedUnread,
  respondTo,
  respondToNone,
} from './message.ts'

/** The response to a message or a batch; `text` is null where there were only notifications. */
type FullResponse = {
  text: string | null
  /** Of HTTP: that of a refusal where all requests were refused alike, 204 for notifications alone, else 200. */
  status: number
  headers: ResponseHeaders
  /** Starts the events of new subscriptions. To be called once the text is being sent, or the reader has disconnected. */
  begin(): void
}

/** Responds to a message, or to a batch in its order, one request after another: a batch must not evade a rate limit or a queue. */
export async function respondToAll(context: RpcContext, parsed: unknown, caller: Caller): Promise<FullResponse> {
  if (!Array.isArray(parsed)) return respondAlone(context, await respondTo(context, parsed, caller), caller)
  if (parsed.length === 0) return await refuse(context, envelopeErrors.emptyBatch, caller)
  if (parsed.length > bounds.rpcBatchMessages) return await refuse(context, envelopeErrors.longBatch, caller)
  const responses: MessageResponse[] = []
  const texts: string[] = []
  let length = 0
  const share = { ...caller, bytes: (caller.bytes ?? 0) / parsed.length }
  for (const message of parsed) {
    if (caller.signal.aborted) break
    // All responses are kept until the last one is ready, so their total size is bounded.
    const isFull = length >= bounds.rpcBatchCharacters
    const one = isFull
      ? refusedUnread(message, overLimit.batch(caller.requestId))
      : await respondTo(context, message, share)
    responses.push(one)
    if (one.response === null) continue
    const text = textOf(context, one.response, caller)
    texts.push(text.length > bounds.rpcBatchCharacters ? tooLong(one.response, caller) : text)
    length += text.length
  }
  return {
    text: texts.length === 0 ? null : `[${texts.join(',')}]`,
    status: statusOf(responses),
    headers: responses.at(-1)?.headers ?? {},
    begin: () => {
      for (const { begin } of responses) begin()
    },
  }
}

/** Responds to what holds no message. */
export async function refuse(context: RpcContext, error: RpcError, caller: Caller): Promise<FullResponse> {
  return respondAlone(context, await respondToNone(context, null, error, caller), caller)
}

function respondAlone(context: RpcContext, one: MessageResponse, caller: Caller): FullResponse {
  const { response, headers, begin } = one
  const text = response === null ? null : textOf(context, response, caller)
  return { text, status: statusOf([one]), headers, begin }
}

function textOf({ unexpected }: RpcContext, response: RpcResponse, { requestId }: Caller): string {
  try {
    return JSON.stringify(response)
  } catch (error) {
    unexpected({ operation: 'jsonrpc', requestId, error }) // such as a response beyond the longest string
    return JSON.stringify(failed(response.id, unexpectedFailure(requestId)))
  }
}

function tooLong({ id }: RpcResponse, { requestId }: Caller): string {
  return JSON.stringify(failed(id, overLimit.batch(requestId)))
}

function statusOf(responses: readonly MessageResponse[]): number {
  const statuses = new Set(responses.filter(({ response }) => response !== null).map(refusalStatus))
  const [status = 204, ...others] = statuses
  return others.length === 0 ? status : 200
}

/** The status of a request that was refused before it ran, else 200: JSON-RPC sends other errors with 200. */
function refusalStatus({ response, headers }: MessageResponse): number {
  const code = response !== null && 'error' in response && codeOf(response.error)
  if (code === 'UNAUTHENTICATED' || code === 'PERMISSION_DENIED') return errorTable[code].http
  // The same code without `retry-after` is another limit.
  return code === 'RATE_LIMITED' && headers['retry-after'] !== undefined ? errorTable.RATE_LIMITED.http : 200
}
