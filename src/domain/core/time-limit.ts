/**
 * A signal that aborts with a TimeoutError after so many milliseconds. It stands in for `AbortSignal.timeout`: Node 24
 * never lets go of what `AbortSignal.any` made of one of those, once that goes into another `AbortSignal.any`.
 */
export function timeLimit(milliseconds: number): AbortSignal {
  const controller = new AbortController()
  const late = () => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'))
  setTimeout(late, milliseconds).unref()
  return controller.signal
}
