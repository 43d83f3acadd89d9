import { errorTable } from '../../contract/shared/errors.ts'
import { bounds } from '../../contract/shared/limits.ts'
import type { AnswerHeaders, Caller } from '../../gateway/request.ts'
import { envelopeErrors, overLimit, unexpectedFailure } from './errors.ts'
import { type Answered, answerMessage, failed, type RpcContext, type RpcResponse, unanswered } from './message.ts'

/** What a message or a batch is answered with; `text` is null where there were only notifications. */
export type Answers = {
  text: string | null
  /** True where every request was over its rate limit. */
  limited: boolean
  headers: AnswerHeaders
  /** Lets the events of new subscriptions come; to be called once the text is on its way, or the reader is gone. */
  begin(): void
}

/** Answers a message, or a batch in its order, one after another: a batch is no way around a rate limit or a queue. */
export async function answerAll(context: RpcContext, parsed: unknown, caller: Caller): Promise<Answers> {
  if (!Array.isArray(parsed)) {
    const answered = await answerMessage(context, parsed, caller)
    const { response, headers, begin } = answered
    const text = response === null ? null : textOf(context, response, caller)
    return { text, limited: text !== null && isLimited(answered), headers, begin }
  }
  if (parsed.length === 0) return refused(failed(null, envelopeErrors.emptyBatch))
  if (parsed.length > bounds.rpcBatchMessages) return refused(failed(null, envelopeErrors.longBatch))
  const answered: Answered[] = []
  const texts: string[] = []
  let length = 0
  for (const message of parsed) {
    if (caller.signal.aborted) break
    // What is answered is kept until the last one is: a batch is no way around the memory either.
    const isFull = length >= bounds.rpcBatchCharacters
    const one = isFull
      ? unanswered(message, overLimit.batch(caller.requestId))
      : await answerMessage(context, message, caller)
    answered.push(one)
    if (one.response === null) continue
    const text = textOf(context, one.response, caller)
    texts.push(text.length > bounds.rpcBatchCharacters ? tooLong(one.response, caller) : text)
    length += text.length
  }
  return {
    text: texts.length === 0 ? null : `[${texts.join(',')}]`,
    limited: texts.length > 0 && answered.every(isLimited),
    headers: answered.at(-1)?.headers ?? {},
    begin: () => {
      for (const { begin } of answered) begin()
    },
  }
}

export function refused(response: RpcResponse): Answers {
  return { text: JSON.stringify(response), limited: false, headers: {}, begin: () => undefined }
}

function textOf({ unexpected }: RpcContext, response: RpcResponse, { requestId }: Caller): string {
  try {
    return JSON.stringify(response)
  } catch (error) {
    unexpected({ operation: 'jsonrpc', requestId, error }) // such as an answer beyond the longest string
    return JSON.stringify(failed(response.id, unexpectedFailure(requestId)))
  }
}

function tooLong({ id }: RpcResponse, { requestId }: Caller): string {
  return JSON.stringify(failed(id, overLimit.batch(requestId)))
}

/** Over its rate limit; the same code without a time to come back is another limit. */
function isLimited({ response, headers }: Answered): boolean {
  if (response === null) return true
  const code = 'error' in response ? response.error.code : null
  return code === errorTable.RATE_LIMITED.jsonRpc && headers['retry-after'] !== undefined
}
