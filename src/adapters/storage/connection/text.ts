/**
 * Text that both databases can store: PostgreSQL rejects NUL and both reject an unpaired surrogate, so each becomes the
 * replacement character.
 */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\uFFFD')
}
