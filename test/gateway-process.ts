import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { dataFolder } from './data-folder.ts'
import { freePorts } from './free-ports.ts'
import { operatorToken } from './operator-token.ts'
import { type ProcessUse, useOf } from './process-use.ts'
import { testMarket } from './test-market.ts'
import { whenGone } from './when-gone.ts'

const readySeconds = 180
const graceMs = 30_000

/** An API key that may open 50 WebSockets from one address. */
export const apiKey = 'key-of-many-sockets'

/** The settings of every gateway unless others are given: many callers come from one address. */
const defaults = {
  RATE_LIMITS: 'off',
  RPC_API_KEYS: `${apiKey}:pro`,
  TRUSTED_PROXIES: '127.0.0.1',
  LOG_LEVEL: 'error',
  RPC_EVM_TIMEOUT_SECONDS: '60',
  ...testMarket,
  OPERATOR_TOKEN: operatorToken,
  DRAIN_SECONDS: '0',
  ...freePorts,
}

export type Urls = { http: string; grpc: string; rpc: string; l1: string }

/** The gateway as `npm start` runs it: a separate process that can be killed. Disposing stops it by SIGTERM. */
export type Gateway = AsyncDisposable &
  ProcessUse & {
    urls: Urls
    dataDir: string
    pid: number
    /** Milliseconds from the start of the process until its banner is complete. */
    readyMs: number
    /** Resident memory in MiB. */
    memoryMb(): number
    /** What it has written to standard output. */
    said(): string
    /** The failures that the gateway has logged. */
    complaints(): string
    running(): boolean
    /** Stops it by SIGTERM; returns its exit code, null where it did not end within 30 s. */
    stop(): Promise<number | null>
    /** Sends it a signal; `ended` is its exit code, once it has one. */
    signal(name: NodeJS.Signals): void
    ended: Promise<number | null>
    kill(): Promise<void>
  }

/**
 * Starts the gateway on free ports and waits until it is ready; with `null` in a folder of its own, which is gone when
 * it is. It ends with this process, however that ends. Throws with its output where it is not ready within 60 s.
 * `code` is the folder of the source to run, this project's unless another one is given.
 */
export async function startGateway(
  dataDir: string | null = null,
  settings: Record<string, string> = {},
  code: string = join(import.meta.dirname, '..'),
): Promise<Gateway> {
  const folder = dataDir === null ? dataFolder() : { path: dataDir, [Symbol.dispose]: () => undefined }
  // No other environment variables: a developer's settings may name a real chain and a real database.
  const node = dirname(process.execPath)
  const own = { PATH: `${node}:${process.env.PATH}`, HOME: process.env.HOME, DATA_DIR: folder.path }
  const begun = performance.now()
  const { scripts } = JSON.parse(readFileSync(join(code, 'package.json'), 'utf8')) as { scripts: { start: string } }
  const child = spawn('sh', ['-c', scripts.start], {
    cwd: code,
    env: { ...own, ...defaults, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const guard = whenGone('kill -9 "$0"', String(child.pid))
  const [said, complaints] = [textOf(child.stdout), textOf(child.stderr)]
  const ended = once(child, 'close').then(([code]): number | null => {
    guard[Symbol.dispose]()
    folder[Symbol.dispose]()
    return code
  })
  const running = () => child.exitCode === null && child.signalCode === null
  const end = async (signal: NodeJS.Signals) => {
    if (running()) child.kill(signal)
    const impatient = setTimeout(() => child.kill('SIGKILL'), graceMs)
    return await ended.finally(() => clearTimeout(impatient))
  }

  const failure = await Promise.race([
    bannerIn(child.stdout, said).then(() => null),
    ended.then((code) => `ended with ${code} before it was ready`),
    sleep(readySeconds * 1_000, `was not ready within ${readySeconds} s`, { ref: false }),
  ])
  const readyMs = Math.round(performance.now() - begun)
  if (failure !== null) {
    await end('SIGKILL')
    throw new Error(`The gateway ${failure}:\n${complaints()}${said()}`)
  }
  const use = useOf(child.pid)
  return {
    ...use,
    urls: urlsIn(said()),
    dataDir: folder.path,
    pid: child.pid ?? 0,
    readyMs,
    memoryMb: () => Math.round(use.memoryKb() / 1_024),
    said,
    complaints,
    running,
    stop: () => end('SIGTERM'),
    signal: (name) => void child.kill(name),
    ended,
    kill: async () => void (await end('SIGKILL')),
    [Symbol.asyncDispose]: async () => void (await end('SIGTERM')),
  }
}

/** All output of a stream so far. */
function textOf(stream: Readable): () => string {
  let text = ''
  stream.setEncoding('utf8').on('data', (chunk) => (text += chunk))
  return () => text
}

/** Waits for the last line of the banner. */
function bannerIn(stream: Readable, said: () => string): Promise<void> {
  return new Promise((resolve) => {
    stream.on('data', () => {
      if (/^Next, register.*\n.*\n|^The worker is ready[\s\S]*^ {2}Health.*\n/m.test(said())) resolve()
    })
  })
}

function urlsIn(banner: string): Urls {
  const at = (name: string) => new RegExp(`^ {2}${name} +((?:\\w+://)?[\\d.]+:\\d+)`, 'm').exec(banner)?.[1] ?? ''
  return { http: at('REST') || at('Health'), grpc: at('gRPC'), rpc: at('JSON-RPC'), l1: at('Parent') }
}
