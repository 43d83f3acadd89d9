import { bounds } from '../../contract/limits.ts'
import type { AnswerHeaders, Caller } from '../../gateway.ts'
import { envelopeErrors } from './errors.ts'
import { type Answered, answerMessage, failed, type RpcContext, type RpcResponse } from './message.ts'

/** What a message or a batch is answered with; `body` is null where there were only notifications. */
export type Answers = {
  body: RpcResponse | RpcResponse[] | null
  headers: AnswerHeaders
  /** Lets the events of new subscriptions come; to be called once the body is on its way, or the reader is gone. */
  begin(): void
}

/** Answers a message, or a batch in its order, one after another: a batch is no way around a rate limit or a queue. */
export async function answerAll(context: RpcContext, parsed: unknown, caller: Caller): Promise<Answers> {
  if (!Array.isArray(parsed)) {
    const { response, ...rest } = await answerMessage(context, parsed, caller)
    return { body: response, ...rest }
  }
  if (parsed.length === 0) return refused(failed(null, envelopeErrors.emptyBatch))
  if (parsed.length > bounds.rpcBatchMessages) return refused(failed(null, envelopeErrors.longBatch))
  const answered: Answered[] = []
  for (const message of parsed) {
    if (caller.signal.aborted) break
    answered.push(await answerMessage(context, message, caller))
  }
  const responses = answered.flatMap(({ response }) => (response === null ? [] : [response]))
  return {
    body: responses.length === 0 ? null : responses,
    headers: answered.at(-1)?.headers ?? {},
    begin: () => {
      for (const { begin } of answered) begin()
    },
  }
}

export function refused(body: RpcResponse): Answers {
  return { body, headers: {}, begin: () => undefined }
}
