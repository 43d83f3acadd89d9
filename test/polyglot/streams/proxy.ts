import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Longer than an event of an account, so that a reader gets on, and short enough for a hundred cuts before it is done. */
const longestBytes = 1_400

export type CuttingProxy = Disposable & {
  url: string
  /** How many streams it still cuts. */
  cutsLeft: number
  cuts: number
  /** What it was asked for, oldest first: the id to go on after, and the status that the gateway answered with. */
  asked: { after: string; status: number }[]
  /** What it passed on of the last stream. */
  passed: string
}

/**
 * A proxy before the gateway that cuts event streams after a random number of bytes, within a line too. Each stream
 * begins with `retry: 1`, so that no reader waits before it asks again.
 */
export async function cuttingProxy(gateway: string, random: () => number, cutsLeft = 0): Promise<CuttingProxy> {
  const server = createServer((question, answer) => {
    const { host: _, ...headers } = question.headers
    const passedOn = request(gateway + question.url, { method: question.method ?? 'GET', headers }, (answered) => {
      proxy.asked.push({ after: String(headers['last-event-id'] ?? ''), status: answered.statusCode ?? 0 })
      passBack(answered, answer, proxy, random)
    })
    passedOn.on('error', () => answer.destroy())
    answer.on('close', () => passedOn.destroy())
    question.pipe(passedOn)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxy: CuttingProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cutsLeft,
    cuts: 0,
    asked: [],
    passed: '',
    [Symbol.dispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
  return proxy
}

function passBack(answered: IncomingMessage, answer: ServerResponse, proxy: CuttingProxy, random: () => number): void {
  answer.writeHead(answered.statusCode ?? 0, answered.headers)
  const isStream = answered.statusCode === 200 && answered.headers['content-type']?.startsWith('text/event-stream')
  if (!isStream) {
    answered.pipe(answer)
    return
  }
  proxy.passed = ''
  answer.write('retry: 1\n')
  let left = proxy.cutsLeft > 0 ? Math.ceil(random() * longestBytes) : Number.POSITIVE_INFINITY
  answered.on('data', (chunk: Buffer) => {
    if (left <= 0) return
    const part = chunk.subarray(0, left)
    left -= part.length
    proxy.passed += part.toString('latin1')
    answer.write(part, () => {
      if (left <= 0) answer.destroy()
    })
    if (left > 0) return
    proxy.cutsLeft -= 1
    proxy.cuts += 1
  })
  answered.on('end', () => answer.end())
  answered.on('error', () => answer.destroy())
}
