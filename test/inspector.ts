import { once } from 'node:events'
import { WebSocket } from 'ws'
import { until } from '../src/sandbox/fixtures/testing.ts'
import type { Gateway } from './gateway-process.ts'

/** The setting under which a gateway lets itself be inspected, on a free port of loopback. */
export const inspected = { NODE_OPTIONS: '--inspect=127.0.0.1:0' }

/** What Node says of it on standard error. */
export const wordsOfInspection = /^(Debugger (listening|attached|ending)|For help, see|Waiting for the debugger)/

export type Inspector = Disposable & {
  /** Has all garbage collected, and answers what is held then in KB: living values, and their buffers outside the heap. */
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
