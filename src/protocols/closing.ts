import { DomainError } from '../domain/core/errors.ts'

/**
 * The error that ends a stream because the server closes. `cursor` is the id of the last event that was sent, from which
 * another process goes on; null where there is none.
 */
export function streamClosing(cursor: string | null): DomainError {
  const message = 'The server is closing. Open the stream again from its last event'
  if (cursor === null) return new DomainError('UNAVAILABLE', `${message}.`)
  const metadata = { last_event_id: cursor }
  return new DomainError('UNAVAILABLE', `${message}, ${cursor}, which is its Last-Event-ID over REST.`, { metadata })
}

/** The id of an event, by which its stream resumes after it; null where it has none that fits into a header. */
export function idOf(event: unknown): string | null {
  if (typeof event !== 'object' || event === null || !('id' in event)) return null
  return typeof event.id === 'string' && /^[\x21-\x7e]{1,200}$/.test(event.id) ? event.id : null
}

/** Waits until a server has closed, at most `graceMs`. Then `cut` ends what is still open, without further waiting. */
export async function closeWithin(graceMs: number, closed: Promise<unknown>, cut: () => void): Promise<void> {
  const over = Promise.withResolvers<void>()
  const timer = setTimeout(() => {
    cut()
    over.resolve()
  }, graceMs)
  await Promise.race([closed, over.promise]).finally(() => clearTimeout(timer))
}
