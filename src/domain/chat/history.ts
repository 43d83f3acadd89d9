import type { contract } from '../../contract/index.ts'
import { bounds } from '../../contract/shared/limits.ts'
import { invalid } from '../core/errors.ts'
import type { Handler } from '../core/handler.ts'

/** The session's messages in order: all of them, or one page. The newest page comes first. */
export const history: Handler<typeof contract.chat.history, 'messages'> = async (ports, input, call) => {
  const { sessionId } = call.principal
  const { cursor, limit = bounds.pageItems } = input
  if (cursor === undefined && input.limit === undefined) return { messages: await ports.messages.list(sessionId) }
  const found = await ports.messages.page(sessionId, beforeId(cursor), limit + 1)
  const messages = found.slice(0, limit).reverse()
  const [oldest] = messages
  return { messages, ...(found.length > limit && oldest !== undefined && { next_cursor: String(oldest.id) }) }
}

/** A cursor is the id of the oldest message of the previous page. */
function beforeId(cursor: string | undefined): number | null {
  if (cursor === undefined) return null
  if (!/^[1-9]\d{0,9}$/.test(cursor)) throw invalid('cursor', 'send the next_cursor of an earlier page unchanged')
  return Number(cursor)
}

/**
 * Deletes the session's history with its answers. An answer that is being written stores nothing any more, and a quote
 * that was shown can no longer be confirmed here.
 */
export const clear: Handler<typeof contract.chat.clear, 'messages'> = async (ports, _input, call) => {
  await ports.messages.clear(call.principal.sessionId)
  return {}
}
