declare global {
  interface JSON {
    parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown
    rawJSON(text: string): object
    isRawJSON(value: unknown): boolean
  }
}

/** Reading a text by its spelling costs twenty times as much; longer and very deep messages keep ids only as doubles do. */
const longestRespelled = 16_384

/**
 * Parses JSON so that ids which are no safe integer, such as 9007199254740993, are written again as they were spelled.
 * An id that is one returns as the same number: 1.0 as 1. Throws SyntaxError.
 */
export function parseExactly(text: string): unknown {
  const parsed: unknown = JSON.parse(text)
  const messages: unknown[] = Array.isArray(parsed) ? parsed : [parsed]
  if (text.length > longestRespelled || !messages.some(hasInexactId)) return parsed
  try {
    return JSON.parse(text, (key, value, { source }) =>
      key === 'id' && isInexact(value) && source !== undefined ? JSON.rawJSON(source) : value,
    )
  } catch {
    return parsed // nested deeper than a reviver can follow, which recurs
  }
}

function hasInexactId(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'id' in message && isInexact(message.id)
}

function isInexact(value: unknown): boolean {
  return typeof value === 'number' && !Number.isSafeInteger(value)
}
