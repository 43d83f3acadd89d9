import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from './free-ports.ts'
import { type ProcessUse, useOf } from './process-use.ts'

/** A gateway of its own process in a fresh folder; `urls` is where it listens, by the names of its banner. */
export type GatewayProcess = AsyncDisposable & {
  dataDir: string
  ready: string
  urls: ReadonlyMap<string, string>
  use: ProcessUse
}

/** Starts the gateway on free ports. Throws where it is not ready within 60 s. */
export async function startGateway(settings: Record<string, string> = {}): Promise<GatewayProcess> {
  const dataDir = mkdtempSync(join(tmpdir(), 'trident-run-'))
  const child = spawn(process.execPath, ['src/main.ts'], {
    cwd: join(import.meta.dirname, '..'),
    // Nothing else of the environment: a developer's own settings may name a real chain and a real database.
    env: { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: dataDir, ...freePorts, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const end = async () => {
    child.kill('SIGTERM')
    await exitOf(child)
    rmSync(dataDir, { recursive: true, force: true })
  }
  const banner = await bannerOf(child).catch(async (error: unknown) => {
    await end()
    throw error
  })
  const urls = [...banner.matchAll(/^ {2}(\S+) +(\S+:\d+)\S*/gm)].map(([, name = '', url = '']) => [name, url] as const)
  return {
    dataDir,
    ready: banner.split('\n', 1)[0] ?? '',
    urls: new Map(urls),
    use: useOf(child.pid),
    [Symbol.asyncDispose]: end,
  }
}

/** The exit code of a process, null where a signal ended it. */
export function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve(child.exitCode)
    else child.once('exit', resolve)
  })
}

/** What it says once it is ready. */
function bannerOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout?.on('data', (chunk) => {
      text += chunk
      if (/^Trident is ready after [\s\S]*^Next, /m.test(text)) resolve(text)
    })
    child.once('exit', (code) => reject(new Error(`The gateway ended with ${code} before it was ready.`)))
    setTimeout(() => reject(new Error(`The gateway was not ready within 60 s:\n${text}`)), 60_000).unref()
  })
}
