import type { Message } from '../../domain/ports/conversations.ts'

/** Tokens that a message costs beside its text. */
const frame = 4

/**
 * Tokens of a text, as estimated without knowing the model's alphabet: a third of its bytes, which for most models and
 * languages is more than there are.
 */
export function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 3)
}

/**
 * The newest messages that fit into a number of tokens together, in their order: whole ones, and none that is older than
 * one that did not fit.
 */
export function fitHistory(history: readonly Message[], tokens: number): readonly Message[] {
  let left = tokens
  let from = history.length
  for (const { content } of history.toReversed()) {
    left -= tokensOf(content) + frame
    if (left < 0) break
    from -= 1
  }
  return history.slice(from)
}

/**
 * The messages as models expect a conversation: begun by the caller, and turn by turn. What an answer lacks between two
 * messages of the caller makes one message of them; an answer before the first has lost its question.
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
