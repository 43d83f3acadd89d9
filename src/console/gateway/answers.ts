import type { ChatStreamEvent } from '../../../generated/client/index.d.ts'
import { gateway, streamed } from './client.ts'
import { failureOf, passes } from './failures.ts'
import { pause, whileShown } from './streams.ts'

type Take = (event: ChatStreamEvent) => void

/** Milliseconds before an answer that was cut off is asked for again. */
const againMs = 1_000

/**
 * Sends a message to the assistant and reads the answer piece by piece. The gateway goes on writing without a reader, so a
 * connection that is lost, or given back while the page is hidden, is taken up after the last piece. Resolves when the
 * answer has ended or the signal ends it; rejects where it cannot be read.
 */
export async function readAnswer(content: string, take: Take, stopped: AbortSignal): Promise<void> {
  let last: string | null = null
  const note: Take = (event) => {
    last = event.id
    take(event)
  }
  try {
    if (await begin(content, note, stopped)) return
  } catch (error) {
    // Without an id it is not known whether the message arrived, and sending it again could answer it twice.
    if (last === null || !passes(failureOf(error))) throw error
  }
  if (last !== null) await follow(last, take, stopped)
}

/** Reads an answer from its beginning, by the id of its stream, like `readAnswer`. */
export async function resumeAnswer(streamId: string, take: Take, stopped: AbortSignal): Promise<void> {
  await follow(`${streamId}:0`, take, stopped)
}

/** Reads the first connection; true where the answer has ended, false where the page was hidden meanwhile. */
async function begin(content: string, take: Take, stopped: AbortSignal): Promise<boolean> {
  const connection = new AbortController()
  const end = () => connection.abort()
  stopped.addEventListener('abort', end)
  try {
    const input = { messages: [{ role: 'user', content } as const], events: true, when_busy: 'queue' as const }
    for await (const event of await gateway.chat.stream.mutate(input, streamed(connection.signal))) {
      take(event)
      if (isEnd(event)) return true
      if (document.hidden) return false
    }
    return true
  } finally {
    stopped.removeEventListener('abort', end)
    connection.abort()
  }
}

/** Reads on after an event until the answer ends, while the page is shown, and again after each cut. */
async function follow(after: string, take: Take, stopped: AbortSignal): Promise<void> {
  let last = after
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const open = (shown: AbortSignal) => {
    const input = {
      stream_id: last.split(':')[0] ?? '',
      ...(last.endsWith(':0') ? {} : { after_id: last }),
      events: true,
    }
    const stream = gateway.chat.resume.subscribe(input, {
      onData: ({ data }) => {
        last = data.id
        take(data)
        if (isEnd(data)) resolve()
      },
      onComplete: resolve,
      onError: (error) => {
        if (!passes(failureOf(error))) return reject(error)
        void pause(againMs, shown).then(() => shown.aborted || open(shown))
      },
    })
    shown.addEventListener('abort', () => stream.unsubscribe(), { once: true })
  }
  const end = whileShown(open)
  stopped.addEventListener('abort', () => resolve(), { once: true })
  await promise.finally(end)
}

function isEnd({ event }: ChatStreamEvent): boolean {
  return event === 'done' || event === 'error'
}
