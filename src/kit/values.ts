/** Whether a value is an object of JSON: neither null nor a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value of a JSON text; undefined where it is invalid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** For work that no caller ends. Whoever listens to it must stop listening. */
export const neverAborts: AbortSignal = new AbortController().signal
