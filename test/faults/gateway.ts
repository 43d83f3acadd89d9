import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from '../../scripts/free-ports.ts'
import { useOf } from '../../scripts/process-use.ts'

const root = join(import.meta.dirname, '../..')

/** Lets its holder open 50 WebSockets from one address. */
export const apiKey = 'key-of-many-sockets'

export type Urls = { http: string; grpc: string; rpc: string; l1: string }

/** The gateway as its users start it: a process of its own that can be killed. */
export type Gateway = AsyncDisposable & {
  urls: Urls
  pid: number
  /** Milliseconds from the start of the process to its first words, and so to its first answer. */
  readyMs: number
  /** Resident memory in MB. */
  memoryMb(): number
  /** Processor time that its process has used so far, in milliseconds; that of the chain's engine is not in it. */
  processorMs(): number
  /** What it has logged of failures. */
  complaints(): string
  kill(): Promise<void>
  running(): boolean
}

/** A folder for the gateway's data that is gone after the test. */
export function dataFolder(): { path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'trident-fault-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** Starts it on free ports and waits until it is ready. Disposing ends it in order. */
export async function startGateway(dataDir: string, settings: Record<string, string> = {}): Promise<Gateway> {
  const begun = performance.now()
  const callers = { RPC_API_KEYS: `${apiKey}:pro`, TRUSTED_PROXIES: '127.0.0.1' }
  const given = { DATA_DIR: dataDir, RATE_LIMITS: 'off', ...callers, LOG_LEVEL: 'error' }
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...freePorts, ...given, ...settings }
  const child = spawn(process.execPath, ['src/main.ts'], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const use = useOf(child.pid)
  let banner = ''
  let complaints = ''
  child.stderr.on('data', (chunk) => (complaints += chunk))
  const exited = once(child, 'exit')
  const ready = Promise.withResolvers<void>()
  child.stdout.on('data', (chunk) => {
    banner += chunk
    if (banner.includes('Next, register')) ready.resolve()
  })
  void exited.then(([code]) => ready.reject(new Error(`The gateway ended with ${code}: ${complaints}${banner}`)))
  await ready.promise
  const said = (line: RegExp) => line.exec(banner)?.[1] ?? ''
  const running = () => child.exitCode === null && child.signalCode === null
  const end = async (signal: NodeJS.Signals) => {
    if (running()) child.kill(signal)
    await exited
  }
  return {
    urls: {
      http: said(/REST\s+(http:\/\/[\d.:]+)/),
      grpc: said(/gRPC\s+(\S+)/),
      rpc: said(/JSON-RPC\s+(http:\/\/[\d.:]+)/),
      l1: said(/Parent\s+(http:\/\/[\d.:]+)/),
    },
    pid: child.pid ?? 0,
    readyMs: Math.round(performance.now() - begun),
    memoryMb: () => Math.round(use.memoryKb() / 1_024),
    processorMs: use.processorMs,
    complaints: () => complaints,
    kill: () => end('SIGKILL'),
    running,
    [Symbol.asyncDispose]: () => end('SIGTERM'),
  }
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every method pass through here
export type Reply = { result?: any; error?: { code: number; message: string; data?: any } }

/** One JSON-RPC call by POST. Rejects where nobody answers. */
export async function rpc(url: string, method: string, ...params: unknown[]): Promise<Reply> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return (await response.json()) as Reply
}

/** Numbers that are the same in every run: each call answers one from 0 to 1. */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Prints a line of figures of a fault test. */
export function figures(of: string, values: Record<string, unknown>): void {
  const told = Object.entries(values).map(
    ([name, value]) => `${name}=${Array.isArray(value) ? value.join('/') : value}`,
  )
  console.log(`FAULTS ${of}: ${told.join(' ')}`)
}
