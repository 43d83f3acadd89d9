/**
 * A signal that aborts with a TimeoutError after so many milliseconds. It replaces `AbortSignal.timeout`: Node 24 never
 * frees a signal that `AbortSignal.any` made of one of those and that was passed to another `AbortSignal.any`.
 */
export function timeLimit(milliseconds: number): AbortSignal {
  const controller = new AbortController()
  const late = () => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'))
  setTimeout(late, milliseconds).unref()
  return controller.signal
}
