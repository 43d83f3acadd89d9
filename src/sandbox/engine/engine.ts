import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Emit } from '../kit/events.ts'
import { anvilBinary } from './anvil-binary.ts'
import { connectIpc, type Ipc } from './ipc.ts'
import { guardEngine, recordEngine } from './orphans.ts'
import { type SideEngine, sideEngine } from './side-engine.ts'

/** The gas a block holds, and the most a single call may ask for. */
export const blockGasLimit = 60_000_000

/** A running engine process and the one connection to it. */
export type Engine = {
  pid: number
  /** The states of how many blocks before the newest one it keeps. */
  states: number
  call: Ipc['call']
  /** Runs on a second engine what may take long, so that this one keeps making blocks. */
  beside: SideEngine['ask']
  alive: () => boolean
  exited: Promise<void>
  kill: () => Promise<void>
}

export type EngineOptions = {
  engineDir: string
  genesisFile: string
  chainId: number
  /** What sets this chain apart from others, in the engine's own words. */
  kind: readonly string[]
  states: number
  emit: Emit
}

/** Starts anvil with everything off that the sandbox does itself, and waits until it answers. */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const { socket, ...engine } = await startProcess(options, ['--init', options.genesisFile])
  const apart = { ...options, engineDir: join(options.engineDir, 'beside'), emit: () => {} }
  const side = sideEngine(socket, () => startProcess(apart, ['--fork-url', socket]))
  void engine.exited.then(side.end)
  const kill = async () => {
    await Promise.all([engine.kill(), side.end()])
  }
  return { ...engine, kill, states: options.states, beside: side.ask }
}

type EngineProcess = Omit<Engine, 'states' | 'beside'> & { socket: string }

async function startProcess(options: EngineOptions, origin: readonly string[]): Promise<EngineProcess> {
  const { engineDir, emit } = options
  const started = performance.now()
  mkdirSync(engineDir, { recursive: true, mode: 0o700 })
  const cache = mkdtempSync(join(engineDir, 'cache-'))
  // A socket's path is limited to about 100 bytes, which a data folder may exceed; mkdtemp makes the folder private.
  const socketDir = mkdtempSync(join(tmpdir(), 'trident-'))
  const socket = join(socketDir, 'ipc')
  const child = spawn(anvilBinary(), [...origin, ...flags(options, socket, cache)], {
    stdio: 'ignore',
    // The environment may hold the master key, which is none of the engine's business.
    env: {},
    // In a group of its own an interrupt from the terminal reaches the gateway only, which then ends the engine in order.
    detached: true,
  })
  let alive = true
  let failure: Error | undefined
  const exited = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      alive = false
      failure = error
      resolve()
    })
    child.once('exit', (code, signal) => {
      alive = false
      emit({ type: 'engine-exited', pid: child.pid ?? 0, code, signal })
      resolve()
    })
  })
  void exited.then(() => {
    for (const dir of [socketDir, cache]) rmSync(dir, { recursive: true, force: true })
  })
  const pid = child.pid
  if (pid === undefined) {
    await exited
    throw new Error('the chain engine could not be started', { cause: failure })
  }
  const guard = guardEngine(pid, socketDir)
  void exited.then(guard.release)

  const kill = async () => {
    child.kill('SIGKILL')
    await exited
  }
  const connected = async () => {
    void exited.then(recordEngine(engineDir, pid))
    return await firstConnection(socket, () => alive)
  }
  // An engine that nobody knows of would outlive this process.
  const ipc = await connected().catch(async (error: unknown) => {
    await kill()
    throw error
  })
  void exited.then(ipc.close)
  // Without its connection the process is of no use, and it must be gone before the next one starts.
  void ipc.closed.then(kill)
  emit({ type: 'engine-started', pid, milliseconds: Math.round(performance.now() - started) })
  return { pid, socket, call: ipc.call, alive: () => alive && ipc.connected(), exited, kill }
}

async function firstConnection(socket: string, alive: () => boolean): Promise<Ipc> {
  const deadline = performance.now() + 15_000
  let cause: unknown
  while (alive() && performance.now() < deadline) {
    try {
      return await connectIpc(socket)
    } catch (error) {
      cause = error
      await sleep(4)
    }
  }
  throw new Error('the chain engine did not come up', { cause })
}

/**
 * The engine listens on a port too, where it obeys anybody, and cannot be told not to. A web page that tries all ports
 * of this machine does not find it at one of 16 million addresses of the loopback network, which Linux alone has.
 */
function hiddenAddress(): string {
  if (process.platform !== 'linux') return '127.0.0.1'
  return `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`
}

function flags({ chainId, kind, states }: EngineOptions, socket: string, cache: string): string[] {
  return [
    kind,
    ['--chain-id', String(chainId)],
    ['--gas-limit', String(blockGasLimit)],
    ['--no-mining', '--order', 'fifo'],
    // A deposit worth more than its sender holds must be mined and fail, not be refused; senders of ordinary
    // transactions are checked before they get here.
    ['--disable-pool-balance-checks'],
    // Every block keeps a whole copy of the state; without a limit an idle chain eats all memory in a day.
    ['--prune-history', String(states)],
    ['--accounts', '0'],
    ['--host', hiddenAddress(), '--port', '0', '--no-cors'],
    ['--ipc', socket],
    ['--cache-path', cache],
    ['--no-request-size-limit', '--quiet'],
  ].flat()
}
