import { randomInt } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Emit } from '../kit/events.ts'
import { connectIpc, type Ipc } from './ipc.ts'
import { engineIsolation } from './isolation.ts'
import { type Launcher, openLauncher } from './launcher.ts'
import { endProcess, recordEngine } from './orphans.ts'
import { type ReadEngines, readEngines } from './read-engines.ts'
import { usualLimits } from './reads.ts'
import { type SideEngine, sideEngine } from './side-engine.ts'

/** The gas limit of a block, and the most gas of a single call. */
export const blockGasLimit = 60_000_000

/** A running engine process (anvil) and the one connection to it. */
export type Engine = {
  pid: number
  /** The number of blocks before the newest one whose states it retains. */
  states: number
  call: Ipc['call']
  /** Makes a call that may take long on a second engine, so that this one can go on producing blocks. */
  sideCall: SideEngine['call']
  /** Opens a read that runs code on an engine of its own. */
  openRead: ReadEngines['open']
  alive: () => boolean
  exited: Promise<void>
  kill: () => Promise<void>
}

type EngineOptions = {
  engineDir: string
  genesisFile: string
  chainId: number
  /** Command-line flags for this kind of chain. */
  kind: readonly string[]
  states: number
  niceness?: number
  /** The longest run of a read. */
  readSeconds: number
  emit: Emit
}

/** Starts anvil without the features that the sandbox implements itself, and waits until it responds. */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const isolation = await engineIsolation()
  const launcher = openLauncher(isolation)
  const host = isolation.length > 0 ? '0.0.0.0' : hiddenAddress()
  const { socket, ...engine } = await startProcess(
    launcher,
    { ...options, host },
    ['--init', options.genesisFile],
    options.niceness,
  ).catch(async (error: unknown) => {
    await launcher.close()
    throw error
  })
  const fork = async (folder: string, niceness: number) =>
    await startProcess(
      launcher,
      { ...options, host, engineDir: join(options.engineDir, folder), emit: () => {} },
      ['--fork-url', socket],
      niceness,
    )
  const side = sideEngine(socket, () => fork('side', 0))
  // Strangers get what the chain and the gateway's own reads leave of the processors.
  const niceness = { own: 0, public: 10 } as const
  const limits = { ...usualLimits, runMs: 1_000 * options.readSeconds }
  const reads = readEngines(socket, (lane) => fork('reads', niceness[lane]), limits)
  const end = async () => {
    await Promise.all([side.end(), reads.end()])
    await launcher.close()
  }
  void engine.exited.then(end)
  const kill = async () => {
    await engine.kill()
    await end()
  }
  return { ...engine, kill, states: options.states, sideCall: side.call, openRead: reads.open }
}

/** `host` is the address of the TCP port that anvil always opens. */
type ProcessOptions = EngineOptions & { host: string }

type EngineProcess = Omit<Engine, 'states' | 'sideCall' | 'openRead'> & { socket: string }

async function startProcess(
  launcher: Launcher,
  options: ProcessOptions,
  origin: readonly string[],
  niceness = 0,
): Promise<EngineProcess> {
  const { engineDir, emit } = options
  const started = performance.now()
  mkdirSync(engineDir, { recursive: true, mode: 0o700 })
  const cache = mkdtempSync(join(engineDir, 'cache-'))
  const socket = `${mkdtempSync(join(launcher.folder, 'e'))}/ipc`
  const command = [anvilBinary(), ...origin, ...flags(options, socket, cache)]
  const { pid, exited: ended } = await launcher.launch(command, niceness)
  let alive = true
  const exited = ended.then((status) => {
    alive = false
    emit({ type: 'engine-exited', pid, status })
    for (const dir of [dirname(socket), cache]) rmSync(dir, { recursive: true, force: true })
  })

  const kill = async () => {
    if (alive) endProcess(pid)
    await exited
  }
  const connected = async () => {
    void exited.then(recordEngine(engineDir, pid))
    return await firstConnection(socket, () => alive)
  }
  // The kill is needed because an engine that this process lost track of would outlive it.
  const ipc = await connected().catch(async (error: unknown) => {
    await kill()
    throw error
  })
  void exited.then(ipc.close)
  // A process without its connection is useless, and it must have exited before the next one starts.
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
  throw new Error('the chain engine did not start in time', { cause })
}

/**
 * Where the engine cannot have a network of its own: on one of the 16 million loopback addresses of Linux, a web page that
 * scans the ports of this machine does not find it. Other systems have one loopback address only.
 */
function hiddenAddress(): string {
  if (process.platform !== 'linux') return '127.0.0.1'
  return `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`
}

function flags({ chainId, kind, states, host }: ProcessOptions, socket: string, cache: string): string[] {
  return [
    kind,
    ['--chain-id', String(chainId)],
    ['--gas-limit', String(blockGasLimit)],
    ['--no-mining', '--order', 'fifo'],
    // A deposit worth more than its sender's balance must be mined and fail, not be refused. The balance of ordinary
    // senders is checked before.
    ['--disable-pool-balance-checks'],
    // Each retained block holds a whole copy of the state. Without a limit an idle chain uses all memory within a day.
    ['--prune-history', String(states)],
    ['--accounts', '0'],
    ['--host', host, '--port', '0', '--no-cors'],
    ['--ipc', socket],
    ['--cache-path', cache],
    ['--no-request-size-limit', '--quiet'],
  ].flat()
}

const architectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }

/**
 * Path of the anvil executable for this machine. It is taken from the platform package, since the wrapper script of
 * `@foundry-rs/anvil` is one more process and leaves the real one behind when it is killed.
 */
export function anvilBinary(platform: string = process.platform, arch: string = process.arch): string {
  const name = `@foundry-rs/anvil-${platform}-${architectures[arch] ?? arch}`
  const wrapper = createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json')
  try {
    return join(dirname(createRequire(wrapper).resolve(`${name}/package.json`)), 'bin', 'anvil')
  } catch (cause) {
    throw new Error(`the embedded chain needs ${name}, which is not installed: run npm install on this machine`, {
      cause,
    })
  }
}
