/**
 * Text that both databases can store. PostgreSQL rejects NUL, and both reject half a surrogate pair, so each is
 * replaced by U+FFFD.
 */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\uFFFD')
}
