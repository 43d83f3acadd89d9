/**
 * The lines of a stream of UTF-8, split at line feeds alone: JSON may hold other separators. A line of more characters than
 * `most` is null.
 */
export async function* linesOf(bytes: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<string | null> {
  const decoder = new TextDecoder()
  let line = ''
  let isTooLong = false
  for await (const chunk of bytes) {
    const [first = '', ...more] = decoder.decode(chunk, { stream: true }).split('\n')
    line += first
    for (const next of more) {
      yield isTooLong || line.length > most ? null : line
      line = next
      isTooLong = false
    }
    if (line.length <= most) continue
    isTooLong = true
    line = ''
  }
  if (isTooLong || line !== '') yield isTooLong ? null : line
}
