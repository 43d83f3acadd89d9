import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../test/node/anvil.ts'
import { whenGone } from '../../test/when-gone.ts'

/** A Redis that keeps nothing on disk. Disposing ends it. */
export type RedisServer = AsyncDisposable & {
  url: string
  port: number
  signal(name: NodeJS.Signals): void
  /** Ends it by SIGKILL, and starts an empty one on its port. */
  restart(): Promise<void>
}

/** Starts Redis on a free port of this machine; null where the machine does not have it. */
export async function startRedis(): Promise<RedisServer | null> {
  const program = (process.env.PATH ?? '').split(':').map((folder) => join(folder, 'redis-server'))
  const path = program.find((one) => existsSync(one))
  if (path === undefined) return null
  const port = await freePort()
  let child = await start(path, port)
  const end = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    signal: (name) => void child.kill(name),
    async restart() {
      await end()
      child = await start(path, port)
    },
    [Symbol.asyncDispose]: end,
  }
}

async function start(path: string, port: number) {
  const words = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', '/tmp']
  const child = spawn(path, words, { stdio: 'ignore' })
  const guard = whenGone('kill -9 "$0"', String(child.pid))
  child.once('exit', () => guard[Symbol.dispose]())
  for (let tries = 0; !(await accepts(port)); tries += 1) {
    if (tries > 200 || child.exitCode !== null) throw new Error('Redis did not start.')
    await sleep(25)
  }
  return child
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  return await once(socket, 'connect')
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy())
}
