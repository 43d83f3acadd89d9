/** Characters of a message that are told: enough for its sentence, not for what a library adds to it. */
const mostCharacters = 300
const deepestCause = 4

/**
 * Name, code, first line and places of an error, down the chain of causes. Its fields and the further lines of its
 * message are left out, for libraries put into them what was sent.
 */
export function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return lineOf(String(error))
  const { name, message, stack = '', cause } = error
  const code = 'code' in error && typeof error.code === 'string' ? { code: lineOf(error.code) } : {}
  const places = stack.split('\n').filter((line) => /^ {4}at /.test(line))
  const told = { name, ...code, message: lineOf(message), stack: places.join('\n') }
  return cause === undefined || depth >= deepestCause ? told : { ...told, cause: describeError(cause, depth + 1) }
}

function lineOf(text: string): string {
  return text.split('\n', 1)[0]?.slice(0, mostCharacters) ?? ''
}
