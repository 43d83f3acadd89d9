import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Client, Protocol } from '../clients/client.ts'
import { grpcClient } from '../clients/grpc.ts'
import { restClient } from '../clients/rest.ts'
import { trpcClient } from '../clients/trpc.ts'
import { type ProcessUse, useOf } from '../process-use.ts'

/** Chat in a process of its own, with tokens of the sessions that it began. */
export type Host = ProcessUse & {
  urls: { http: string; grpc: string }
  clients: Record<Protocol, Client>
  tokens: string[]
  kill(): Promise<void>
}

/** Starts it over a folder and waits until it listens. */
export async function startHost(dataDir: string, sessions: number): Promise<Host> {
  const script = join(import.meta.dirname, 'chat-host.ts')
  const child = spawn(process.execPath, [script, dataDir, String(sessions)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const [line] = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    exited.then(([code]) => Promise.reject(new Error(`The host of chat ended with ${code}.`))),
  ])
  const { urls, tokens } = JSON.parse(line)
  const clients = { rest: restClient(urls.http), trpc: trpcClient(urls.http), grpc: grpcClient(urls.grpc) }
  return {
    ...useOf(child.pid),
    urls,
    clients,
    tokens,
    async kill() {
      child.kill('SIGKILL')
      await exited
      clients.grpc.close()
    },
  }
}
