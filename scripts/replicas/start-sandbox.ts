import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { testMarket } from '../../test/test-market.ts'
import { whenGone } from '../../test/when-gone.ts'

/** `npm run sandbox` as a process, which ends with this one. Disposing stops it by SIGTERM. */
export type SandboxProcess = AsyncDisposable & {
  url: string
  signal(name: NodeJS.Signals): void
  /** Ends it by SIGKILL, and starts it again with the chain of its folder. */
  restart(): Promise<void>
}

const root = join(import.meta.dirname, '../..')
const readyMs = 120_000
const graceMs = 20_000

/** Starts the sandbox of a data folder on a port of this machine, and waits until it serves. Throws with its output where it does not. */
export async function startSandbox(
  dataDir: string,
  port: number,
  settings: Record<string, string>,
): Promise<SandboxProcess> {
  const env = { ...settings, DATA_DIR: dataDir, SANDBOX_PORT: `${port}` }
  let { child, ended } = await start(env)
  return {
    url: `http://127.0.0.1:${port}`,
    signal: (name) => void child.kill(name),
    async restart() {
      child.kill('SIGKILL')
      await ended
      const next = await start(env)
      child = next.child
      ended = next.ended
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      const impatient = setTimeout(() => child.kill('SIGKILL'), graceMs)
      await ended.finally(() => clearTimeout(impatient))
    },
  }
}

async function start(settings: Record<string, string>) {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { sandbox: string } }
  // No other environment variables: a developer's settings may name a real chain.
  const own = { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: process.env.HOME }
  const child = spawn('sh', ['-c', scripts.sandbox], {
    cwd: root,
    env: { ...own, LOG_LEVEL: 'error', ...testMarket, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const guard = whenGone('kill -9 "$0"', String(child.pid))
  const ended = once(child, 'exit').finally(() => guard[Symbol.dispose]())
  let said = ''
  const ready = new Promise<true>((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        said += text
        if (/SANDBOX_URL=http\S+ npm start/.test(said)) resolve(true)
      })
  })
  const late = new Promise<false>((resolve) => setTimeout(resolve, readyMs, false).unref())
  if (!(await Promise.race([ready, late, ended.then(() => false as const)]))) {
    child.kill('SIGKILL')
    throw new Error(`The sandbox did not become ready:\n${said}`)
  }
  return { child, ended }
}
