import { sseEvents } from './sse.ts'

type Init = { headers?: Record<string, string> }

/**
 * The part of EventSource that tRPC subscriptions use, over fetch so that the token is sent in a header. It does not
 * reconnect.
 */
export class FetchEventSource extends EventTarget {
  static readonly CONNECTING = 0
  static readonly OPEN = 1
  static readonly CLOSED = 2
  readonly CONNECTING = 0
  readonly OPEN = 1
  readonly CLOSED = 2
  readyState = 0
  #leaving = new AbortController()

  constructor(url: string | URL, init: Init = {}) {
    super()
    void this.#read(url, init).catch(() => this.#end())
  }

  close(): void {
    this.readyState = this.CLOSED
    this.#leaving.abort()
  }

  async #read(url: string | URL, { headers = {} }: Init): Promise<void> {
    const response = await fetch(url, {
      headers: { ...headers, accept: 'text/event-stream' },
      signal: this.#leaving.signal,
    })
    if (response.status === 200 && response.body !== null) {
      this.readyState = this.OPEN
      let lastEventId = ''
      for await (const { event = 'message', data, id = lastEventId } of sseEvents(response.body)) {
        if (this.readyState === this.CLOSED) return // after a close nothing more is reported
        lastEventId = id
        this.dispatchEvent(new MessageEvent(event, { data, lastEventId }))
      }
    }
    this.#end()
  }

  #end(): void {
    if (this.readyState === this.CLOSED) return
    this.close()
    this.dispatchEvent(new Event('error'))
  }
}
