import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Client, Protocol } from '../clients/client.ts'
import { grpcClient } from '../clients/grpc.ts'
import { restClient } from '../clients/rest.ts'
import { trpcClient } from '../clients/trpc.ts'

/** Chat in a process of its own, with tokens of the sessions that it began. */
export type Host = {
  urls: { http: string; grpc: string }
  clients: Record<Protocol, Client>
  tokens: string[]
  /** Resident memory in KB. */
  memoryKb(): number
  /** Processor time that it has used so far, in milliseconds. */
  processorMs(): number
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
  const proc = (file: string) => readFileSync(`/proc/${child.pid}/${file}`, 'utf8')
  return {
    urls,
    clients,
    tokens,
    memoryKb: () => Number(/VmRSS:\s+(\d+)/.exec(proc('status'))?.[1]),
    processorMs() {
      const fields = proc('stat').split(') ')[1]?.split(' ') ?? []
      return (Number(fields[11]) + Number(fields[12])) * 10 // user and system, in ticks of 10 ms
    },
    async kill() {
      child.kill('SIGKILL')
      await exited
      clients.grpc.close()
    },
  }
}
