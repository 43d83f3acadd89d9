/** The deepest nesting of a provider's response that fits into a response of the gateway. */
const mostDeep = 12

/** The value of a JSON text, or why it cannot be used. */
type Parsed = { value: unknown } | { fault: 'too_deep' | 'no_json' }

/** Parses a JSON text of limited nesting. */
export function parseBounded(text: string): Parsed {
  if (depthOf(text) > mostDeep) return { fault: /^\s*[[{]/.test(text) ? 'too_deep' : 'no_json' }
  try {
    return { value: JSON.parse(text) }
  } catch {
    return { fault: 'no_json' }
  }
}

/** The nesting of a JSON text by its brackets, found without parsing it. */
function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  let quoted = false
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (quoted) {
      if (code === backslash) at += 1
      else if (code === quote) quoted = false
    } else if (code === quote) quoted = true
    else if (code === brace || code === bracket) {
      depth += 1
      if (depth > deepest) deepest = depth
    } else if (code === braceEnd || code === bracketEnd) depth -= 1
  }
  return deepest
}

const [quote, backslash, brace, bracket, braceEnd, bracketEnd] = [34, 92, 123, 91, 125, 93]
