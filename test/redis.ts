import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from './node/anvil.ts'
import { whenGone } from './when-gone.ts'

/** Null where Redis can be started here, else why not. */
export const withoutRedis: string | null =
  spawnSync('redis-server', ['--version']).error === undefined ? null : 'redis-server is not installed'

/** A Redis as its operator has it. Disposing of it ends it. */
export type RedisServer = AsyncDisposable & {
  url: string
  port: number
  /** Holds it, so that it says nothing, or lets it go on. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void
  /** Kills it. */
  kill(): Promise<void>
  /** Starts it again on its port, empty. */
  start(): Promise<void>
}

/** Starts `redis-server` on a free port. It keeps nothing on the disk and ends with this process. */
export async function startRedis(...options: string[]): Promise<RedisServer> {
  const port = await freePort()
  let running = await startOn(port, options)
  const kill = async () => {
    running.child.kill('SIGKILL')
    await running.ended
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    signal: (name) => void running.child.kill(name),
    kill,
    async start() {
      running = await startOn(port, options)
    },
    [Symbol.asyncDispose]: kill,
  }
}

async function startOn(port: number, options: readonly string[]) {
  const memoryOnly = ['--save', '', '--appendonly', 'no', '--bind', '127.0.0.1', '--port', String(port)]
  const child = spawn('redis-server', [...memoryOnly, ...options], { stdio: ['ignore', 'pipe', 'ignore'] })
  const guard = whenGone('kill -9 "$0"', String(child.pid))
  const ended = once(child, 'close').then(() => guard[Symbol.dispose]())
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text) => (said += text))
  for (let waits = 0; !said.includes('Ready to accept'); waits += 1) {
    if (child.exitCode !== null || waits > 1_000) throw new Error(`redis-server did not start:\n${said}`)
    await pause(20)
  }
  return { child, ended }
}
