/** Logged characters of a message: enough for its sentence, not for what a library appends. */
const mostCharacters = 300
const deepestCause = 4

/**
 * Name, code, first line and stack of an error and of its causes. Other fields and further lines of the message are left
 * out, because libraries put request data into them.
 */
export function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return lineOf(String(error))
  const { name, message, stack = '', cause } = error
  const code = 'code' in error && typeof error.code === 'string' ? { code: lineOf(error.code) } : {}
  const frames = stack.split('\n').filter((line) => /^ {4}at /.test(line))
  const described = { name, ...code, message: lineOf(message), stack: frames.join('\n') }
  return cause === undefined || depth >= deepestCause
    ? described
    : { ...described, cause: describeError(cause, depth + 1) }
}

function lineOf(text: string): string {
  return text.split('\n', 1)[0]?.slice(0, mostCharacters) ?? ''
}
