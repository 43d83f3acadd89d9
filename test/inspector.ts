import { once } from 'node:events'
import { WebSocket } from 'ws'
import { until } from '../src/sandbox/fixtures/testing.ts'
import type { Gateway } from './gateway-process.ts'

/** The setting that opens a gateway's inspector on a free loopback port. */
export const inspected = { NODE_OPTIONS: '--inspect=127.0.0.1:0' }

/** Node's message about it on standard error. */
export const wordsOfInspection = /^(Debugger (listening|attached|ending)|For help, see|Waiting for the debugger)/

export type Inspector = Disposable & {
  /** Collects all garbage, and returns the KB that remain: the heap, and external buffers. */
  collect(): Promise<number>
}

/** Connects to the inspector of a gateway that was started with `inspected`. */
export async function openInspector(gateway: Gateway): Promise<Inspector> {
  const address = () => /Debugger listening on (ws:\S+)/.exec(gateway.complaints())?.[1]
  await until(() => address() !== undefined, 'the inspector', 5_000)
  const socket = new WebSocket(address() ?? '')
  await once(socket, 'open')
  let id = 0
  async function ask(method: string): Promise<Record<string, number>> {
    const own = ++id
    socket.send(JSON.stringify({ id: own, method }))
    for (;;) {
      const [message] = await once(socket, 'message', { signal: AbortSignal.timeout(30_000) })
      const answer = JSON.parse(String(message))
      if (answer.id === own) return answer.result
    }
  }
  return {
    async collect() {
      await ask('HeapProfiler.collectGarbage')
      const { usedSize = 0, backingStorageSize = 0 } = await ask('Runtime.getHeapUsage')
      return Math.round((usedSize + backingStorageSize) / 1_024)
    },
    [Symbol.dispose]: () => socket.terminate(),
  }
}
