/**
 * Text as both databases can keep it: PostgreSQL takes no NUL and neither takes half a surrogate pair, so each becomes
 * the replacement character.
 */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\uFFFD')
}
