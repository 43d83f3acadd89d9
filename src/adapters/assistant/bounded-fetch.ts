import { errorOf } from '../providers/http-failure.ts'
import { naming } from './model-errors.ts'

/** What one answer of a server may take: bytes in all, and milliseconds of silence before and between them. */
export type FetchBounds = { mostBytes: number; silenceMs: number }

/**
 * A fetch whose answers end in a DomainError where they are too large or the server falls silent. Redirects are not
 * followed, for they would carry the key elsewhere.
 */
export function boundedFetch({ mostBytes, silenceMs }: FetchBounds): typeof fetch {
  return async (url, init) => {
    const ending = new AbortController()
    const late = () =>
      ending.abort(errorOf({ kind: 'timeout', cause: new Error(`silent for ${silenceMs} ms`) }, naming))
    const timer = setTimeout(late, silenceMs).unref()
    const quiet = () => clearTimeout(timer)
    const signal = AbortSignal.any([ending.signal, ...(init?.signal ? [init.signal] : [])])
    signal.addEventListener('abort', quiet, { once: true })
    const response = await fetch(url, { ...init, redirect: 'manual', signal }).catch((error: unknown) => {
      quiet()
      throw error
    })
    let left = mostBytes
    const bounded = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        timer.refresh()
        left -= chunk.byteLength
        if (left >= 0) controller.enqueue(chunk)
        else controller.error(errorOf({ kind: 'too_large', cause: new Error(`more than ${mostBytes} bytes`) }, naming))
      },
      flush: quiet,
    })
    return new Response(response.body?.pipeThrough(bounded) ?? null, response)
  }
}
