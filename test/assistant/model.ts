import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Script, SeenRequest } from './script.ts'

/** The model server as a running process. */
export type ModelProcess = AsyncDisposable & {
  /** The value of LLM_BASE_URL. */
  url: string
  /** Sets scripts by name, replacing those of the same name. */
  teach(scripts: Record<string, Script>): Promise<void>
  /** Closes the sockets of stalled answers. */
  cut(): Promise<void>
  /** Sends the further events of answers that wait with them. */
  goOn(): Promise<void>
  /** The requests of a script so far. */
  requests(name: string): Promise<SeenRequest[]>
}

export async function startModel(): Promise<ModelProcess> {
  const child = fork(new URL('model-server.ts', import.meta.url), { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  const [port] = child.stdout === null ? [] : await once(child.stdout, 'data')
  const url = `http://127.0.0.1:${Number(String(port))}`
  return {
    url: `${url}/v1`,
    async teach(scripts) {
      await fetch(`${url}/scripts`, { method: 'POST', body: JSON.stringify(scripts) })
    },
    async cut() {
      await fetch(`${url}/cut`, { method: 'POST' })
    },
    async goOn() {
      await fetch(`${url}/go-on`, { method: 'POST' })
    },
    requests: async (name) => (await (await fetch(`${url}/requests/${name}`)).json()) as SeenRequest[],
    async [Symbol.asyncDispose]() {
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
  }
}
