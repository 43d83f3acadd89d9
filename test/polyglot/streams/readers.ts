import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fetchEventSource } from '@microsoft/fetch-event-source'
import { EventSource as EventSource4 } from 'eventsource-4'
import { EventSource as EventSource5 } from 'eventsource-5'
import { createParser } from 'eventsource-parser'

/** A stream to read; with a body it is asked for by POST, once. */
export type Ask = { url: string; token: string; body?: string }
export type StreamEvent = { id: string; data: string }

/** Reads until the stream is over, which it knows from 204, or until it is stopped. */
type Read = (ask: Ask, take: (event: StreamEvent) => void, stop: AbortSignal) => Promise<void>
export type Reader = { name: string; version: string; posts: boolean; read: Read }

/** All readers that this machine can run. */
export function readers(): Reader[] {
  const versionOf = (name: string) => {
    const { version } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')) as { version: string }
    return version
  }
  const inNode = (name: string, read: Read, posts: boolean, alias = name) => {
    return { name, version: versionOf(alias), posts, read }
  }
  const python = process.env.PYTHON ?? ''
  const version = /^httpx-sse==(.*)$/m.exec(readFileSync('requirements.txt', 'utf8'))?.[1] ?? ''
  return [
    inNode('eventsource', byEventSource(EventSource4), false, 'eventsource-4'),
    inNode('eventsource', byEventSource(EventSource5), false, 'eventsource-5'),
    inNode('eventsource-parser', byParser, true),
    inNode('@microsoft/fetch-event-source', byFetchEventSource, true),
    ...(python === '' ? [] : [{ name: 'httpx-sse', version, posts: true, read: byPython(python) }]),
  ]
}

const headersOf = ({ token, body }: Ask, last = ''): Record<string, string> => ({
  authorization: `Bearer ${token}`,
  ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  ...(last === '' ? {} : { 'last-event-id': last }),
})

function byEventSource(Source: typeof EventSource4 | typeof EventSource5): Read {
  return async (ask, take, stop) => {
    const source = new Source(ask.url, {
      fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, ...headersOf(ask) } }),
    })
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    source.onmessage = ({ data, lastEventId }) => take({ id: lastEventId, data })
    source.onerror = ({ code, message }) => {
      if (source.readyState !== source.CLOSED) return
      if (code === 204) resolve()
      else reject(new Error(`${code}: ${message}`))
    }
    stop.addEventListener('abort', () => resolve())
    await promise.finally(() => source.close())
  }
}

/** What an application writes around a parser: it asks again after the last event that it has whole. */
const byParser: Read = async (ask, take, stop) => {
  let last = ''
  const parser = createParser({
    onEvent({ id = last, data }) {
      last = id
      take({ id, data })
    },
  })
  const init = { method: ask.body === undefined ? 'GET' : 'POST', body: ask.body ?? null, signal: stop }
  while (!stop.aborted) {
    try {
      const answer = await fetch(ask.url, { ...init, headers: headersOf(ask, last) })
      if (answer.status === 204) return
      if (!answer.ok || answer.body === null) throw new Error(`${answer.status}: ${await answer.text()}`)
      for await (const text of answer.body.pipeThrough(new TextDecoderStream())) parser.feed(text)
      if (ask.body !== undefined) return
    } catch (error) {
      // A cut; what else fails is not of this class.
      if (!(error instanceof TypeError) && !stop.aborted) throw error
    }
    parser.reset()
    await sleep(1)
  }
}

/** The page that fetch-event-source looks for: it is never hidden. */
Object.assign(globalThis, { window: globalThis, document: new EventTarget() })

class Over extends Error {}
class Refused extends Error {}

const byFetchEventSource: Read = async (ask, take, stop) => {
  let last = ''
  const reading = fetchEventSource(ask.url, {
    method: ask.body === undefined ? 'GET' : 'POST',
    body: ask.body ?? null,
    signal: stop,
    // It notes an id before it has the data below it, and would go on after an event that was cut.
    fetch: (url, init) => fetch(url, { ...init, headers: headersOf(ask, last) }),
    async onopen({ status }) {
      if (status === 204) throw new Over()
      if (status !== 200) throw new Refused(`${status}`)
    },
    onmessage({ id, data }) {
      last = id === '' ? last : id
      take({ id: last, data })
    },
    onclose() {
      if (ask.body === undefined) throw new Error('It asks again, and learns from 204 that the stream is over.')
    },
    onerror(error) {
      if (error instanceof Over || error instanceof Refused) throw error
    },
  })
  await reading.catch((error) => {
    if (!(error instanceof Over)) throw error
  })
}

function byPython(python: string): Read {
  return async (ask, take, stop) => {
    const words = ['reader.py', ask.url, ...(ask.body === undefined ? [] : [ask.body])]
    const child = spawn(python, words, {
      env: { ...process.env, TOKEN: ask.token },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const end = () => child.kill()
    stop.addEventListener('abort', end)
    createInterface(child.stdout).on('line', (line) => take(JSON.parse(line) as StreamEvent))
    const [code] = await once(child, 'close')
    stop.removeEventListener('abort', end)
    if (code !== 0 && !stop.aborted) throw new Error(`reader.py ended with ${code}`)
  }
}
