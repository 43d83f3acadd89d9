/** Deepest nesting of a provider's answer, so that it fits into one of ours. */
const mostDeep = 12

/** The value of a JSON text, or undefined where it is none or is nested too deep to be handed on. */
export function parseBounded(text: string): unknown {
  if (depthOf(text) > mostDeep) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Nesting of a JSON text by its brackets, found without building anything. */
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
