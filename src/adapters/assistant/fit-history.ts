import type { Message } from '../../domain/ports/conversations.ts'

/** Tokens of a message in addition to its text. */
const frame = 4

/** The estimated tokens of a text: a third of its bytes, which is too many for most models and languages. */
export function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 3)
}

/**
 * The newest messages that together fit into a number of tokens, in order. It stops at the first message that does not
 * fit.
 */
export function fitHistory(history: readonly Message[], tokens: number): readonly Message[] {
  let remaining = tokens
  let from = history.length
  for (const { content } of history.toReversed()) {
    remaining -= tokensOf(content) + frame
    if (remaining < 0) break
    from -= 1
  }
  return history.slice(from)
}

/**
 * The messages as models expect a conversation: the caller begins, and the roles alternate. Messages of the same role in a
 * row are joined; an answer before the first message of the caller is dropped.
 */
export function inTurns(messages: readonly Message[]): Message[] {
  const turns: Message[] = []
  for (const { role, content } of messages) {
    const last = turns.at(-1)
    if (last?.role === role) last.content += `\n\n${content}`
    else if (last !== undefined || role === 'user') turns.push({ role, content })
  }
  return turns
}
