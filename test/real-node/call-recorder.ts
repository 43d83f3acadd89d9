import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

type Call = { method: string; params: readonly unknown[] }
type Recorded = Call & { round: number }

/** What a piece of work asked of a node: each call, with the round trip that it was part of, counted from 1. */
export type CallRecorder = AsyncDisposable & {
  url: string
  /** The calls since the last `forget`. */
  calls(): readonly Recorded[]
  forget(): void
}

/**
 * Starts a proxy in front of a node that adds a delay and records the calls. A call is of the round after those that had
 * been answered when it arrived, so the delay must be longer than the work between two rounds.
 */
export async function openCallRecorder(target: string, delayMs: number): Promise<CallRecorder> {
  let requests: { calls: Call[]; round: number; answered: boolean }[] = []
  const server = createServer(async (request, response) => {
    try {
      const body = await text(request)
      const parsed = JSON.parse(body) as Call | Call[]
      const round = 1 + Math.max(0, ...requests.filter(({ answered }) => answered).map((before) => before.round))
      const entry = { calls: [parsed].flat(), round, answered: false }
      requests.push(entry)
      const headers = { 'content-type': 'application/json' }
      const [answer] = await Promise.all([
        fetch(target, { method: 'POST', headers, body }).then((answered) => answered.text()),
        sleep(delayMs),
      ])
      entry.answered = true
      response.writeHead(200, headers).end(answer)
    } catch {
      response.destroy()
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: () => requests.flatMap(({ calls, round }) => calls.map(({ method, params }) => ({ method, params, round }))),
    forget() {
      requests = []
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}
