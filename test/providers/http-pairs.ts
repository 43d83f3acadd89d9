import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach } from 'vitest'
import { z } from 'zod'
import { createHttpProvider, type HttpProviderOptions } from '../../src/adapters/providers/http.ts'

export type Reply = (request: IncomingMessage, response: ServerResponse) => void

/** Pairs of a server and a client of it; everything opened is closed after each test. */
export function httpPairs() {
  const closing: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0)) await close()
  })

  /** A server that sends the given replies in turn, repeating the last one, and a client of it. */
  async function pair(replies: Reply[], options: Partial<HttpProviderOptions> = {}) {
    const seen: string[] = []
    const server = createServer((request, response) => {
      seen.push(`${request.method} ${request.url}`)
      const reply = replies[Math.min(seen.length, replies.length) - 1]
      reply?.(request, response)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const { times, ...more } = options
    const provider = createHttpProvider({
      name: 'The test provider',
      urlSetting: 'TEST_URL',
      keySetting: 'TEST_KEY',
      baseUrl: `http://127.0.0.1:${port}/api`,
      times: { attemptMs: 300, pauseMs: 1, ...times },
      ...more,
    })
    closing.push(async () => {
      await provider.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    })
    const signal = new AbortController().signal
    const get = (more: object = {}) =>
      provider.request({ path: '/thing', schema: z.object({ a: z.number() }), signal, ...more })
    return { provider, get, seen, port }
  }

  return { pair, closing }
}

export const good: Reply = (_request, response) => response.end('{"a":1}')
export const status =
  (code: number, headers: Record<string, string> = {}, text = 'no'): Reply =>
  (_request, response) =>
    response.writeHead(code, headers).end(text)
export const reset: Reply = (request) => request.socket.destroy()
export const cut: Reply = (request, response) => {
  response.writeHead(200, { 'content-length': '100' }).write('{"a":')
  setImmediate(() => request.socket.destroy())
}
export const silent: Reply = () => undefined
