import { errorOf } from '../providers/http-failure.ts'
import { naming } from './model-errors.ts'

/** The limits of one response: bytes in total, and milliseconds of silence before and between them. */
export type FetchBounds = { mostBytes: number; silenceMs: number }

/**
 * A fetch whose responses end with a DomainError where they are too large or the server is silent. Redirects are not
 * followed, for they would send the key to another host.
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
    let remaining = mostBytes
    const bounded = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        timer.refresh()
        remaining -= chunk.byteLength
        if (remaining >= 0) controller.enqueue(chunk)
        else controller.error(errorOf({ kind: 'too_large', cause: new Error(`more than ${mostBytes} bytes`) }, naming))
      },
      flush: quiet,
    })
    return new Response(response.body?.pipeThrough(bounded) ?? null, response)
  }
}
