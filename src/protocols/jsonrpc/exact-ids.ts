declare global {
  interface JSON {
    parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown
    rawJSON(text: string): object
    isRawJSON(value: unknown): boolean
  }
}

/** Parsing exactly takes twenty times as long. In longer and in very deep messages, ids have the precision of a double. */
const longestExact = 16_384

/**
 * Parses JSON so that an id that is not a safe integer, such as 9007199254740993, is returned as it was written. A safe
 * integer is returned as the same number: 1.0 as 1. Throws SyntaxError.
 */
export function parseExactly(text: string): unknown {
  const parsed: unknown = JSON.parse(text)
  const messages: unknown[] = Array.isArray(parsed) ? parsed : [parsed]
  if (text.length > longestExact || !messages.some(hasInexactId)) return parsed
  try {
    return JSON.parse(text, (key, value, { source }) =>
      key === 'id' && isInexact(value) && source !== undefined ? JSON.rawJSON(source) : value,
    )
  } catch {
    return parsed // nested too deeply for a reviver, which recurses
  }
}

function hasInexactId(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'id' in message && isInexact(message.id)
}

function isInexact(value: unknown): boolean {
  return typeof value === 'number' && !Number.isSafeInteger(value)
}
