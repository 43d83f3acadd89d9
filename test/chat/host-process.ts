import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Clients, openClients } from '../clients/clients.ts'
import { type ProcessUse, useOf } from '../process-use.ts'

/** Chat in a separate process, with tokens of its sessions. */
export type Host = ProcessUse & {
  urls: { http: string; grpc: string }
  clients: Clients
  tokens: string[]
  kill(): Promise<void>
}

/** Starts it with a data folder and waits until it listens. */
export async function startHost(dataDir: string, sessions: number): Promise<Host> {
  const script = join(import.meta.dirname, 'chat-host.ts')
  const child = spawn(process.execPath, [script, dataDir, String(sessions)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const [line] = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    exited.then(([code]) => Promise.reject(new Error(`The host of chat ended with ${code}.`))),
  ])
  const { urls, tokens } = JSON.parse(line)
  const clients = openClients(urls)
  return {
    ...useOf(child.pid),
    urls,
    clients,
    tokens,
    async kill() {
      child.kill('SIGKILL')
      await exited
      clients[Symbol.dispose]()
    },
  }
}
