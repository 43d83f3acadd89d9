import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { metrics } from '../../../src/contract/metrics.ts'
import { addresses } from '../../../src/sandbox/deploy/addresses.ts'
import { restRequest } from '../../../test/clients/http-request.ts'
import { restClient } from '../../../test/clients/rest.ts'
import { dataFolder } from '../../../test/data-folder.ts'
import { enginePid } from '../../../test/engine.ts'
import { type Gateway, startGateway } from '../../../test/gateway-process.ts'
import { startAnvil } from '../../../test/node/anvil.ts'
import { useOf } from '../../../test/process-use.ts'
import { newAccount } from '../../../test/world.ts'
import type { Bench } from '../bench.ts'
import { exitOf, startChild } from '../child.ts'
import type { Figure } from '../figures.ts'
import { folderBytes } from '../folder-bytes.ts'
import type { Load, Slot } from '../load/load.ts'
import { timed } from '../load/shared-work.ts'
import { inTurns } from '../turns.ts'
import { balanceCall } from '../worlds/chain-calls.ts'

const rounds = 2
const idleMs = 2_000
const loadMs = 3_000
const connectionsOfEach = 16
const root = join(import.meta.dirname, '../../..')

/** The time until the gateway is ready, its memory, and the code that is loaded and installed for it. */
export const bench: Bench = async () => [...(await starts()), ...(await memory()), ...(await modules()), ...installed()]

async function starts(): Promise<Figure[]> {
  using folder = dataFolder()
  const start = async (path: string, settings: Record<string, string> = {}) => {
    await using gateway = await startGateway(path, settings)
    return gateway.readyMs
  }
  const ways = {
    node: () => timed(() => exitOf(spawn(process.execPath, ['-e', '0']))),
    anvil: async () => {
      await using stack = new AsyncDisposableStack()
      return await timed(async () => void stack.use(await startAnvil()))
    },
    first: async () => {
      using fresh = dataFolder()
      using compiled = dataFolder()
      return await start(fresh.path, { NODE_COMPILE_CACHE: compiled.path })
    },
    fresh: async () => {
      using fresh = dataFolder()
      return await start(fresh.path)
    },
    again: () => start(folder.path),
  }
  // One start is enough to warm up: afterwards the folder exists, and the modules are compiled.
  const times = await inTurns(Object.keys(ways) as (keyof typeof ways)[], rounds, async (way, warmsUp) =>
    warmsUp && way !== 'again' ? Number.NaN : await ways[way](),
  )
  const [node, anvil] = [times.get('node') ?? [], times.get('anvil') ?? []]
  const floor = { name: 'bare anvil', rounds: anvil }
  return [
    { what: 'bare anvil, to its first answer', unit: 'ms', rounds: anvil, floor: { name: 'node -e 0', rounds: node } },
    { what: 'the very first start, nothing compiled, to ready', unit: 'ms', rounds: times.get('first') ?? [], floor },
    { what: 'fresh folder, to ready', unit: 'ms', rounds: times.get('fresh') ?? [], floor },
    { what: 'folder of before, to ready', unit: 'ms', rounds: times.get('again') ?? [], floor },
  ]
}

/** Resident memory of the gateway's process and, separately, of the engines of its two chains. */
async function memory(): Promise<Figure[]> {
  using folder = dataFolder()
  await using gateway = await startGateway(folder.path)
  using bare = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'])
  await sleep(idleMs)
  const floor = { name: 'idle node', rounds: [useOf(bare.pid).memoryKb() / 1_024] }
  bare.kill()
  const engines = (['chain', 'chain/parent'] as const).map((chain) => useOf(Number(enginePid(folder.path, chain))))
  const idle = [gateway.memoryMb()]
  const callers = await load(gateway)
  const loaded = [gateway.memoryMb()]
  return [
    { what: 'memory, idle', unit: 'MiB', rounds: idle, floor },
    { what: `memory, after ${loadMs / 1_000} s of ${callers} callers`, unit: 'MiB', rounds: loaded, floor },
    ...engines.map(
      (engine, index): Figure => ({
        what: `memory of the ${['chain', 'parent chain'][index]}'s engine`,
        unit: 'MiB',
        rounds: [engine.memoryKb() / 1_024],
      }),
    ),
  ]
}

/** Calls it on all protocols at once for results that it does not cache. Returns the number of callers. */
async function load({ urls }: Gateway): Promise<number> {
  const { token } = await newAccount(restClient(urls.http))
  const positions = restRequest(metrics.positions, { ...metrics.positions.example.input }, {}).path
  const { jsonRpc, trpc, grpc } = balanceCall(addresses.weth)
  const asked = [
    { target: { transport: 'http', address: urls.http }, request: { path: positions, body: '', token } },
    { target: { transport: 'http', address: urls.rpc }, request: jsonRpc },
    { target: { transport: 'http', address: urls.http }, request: trpc ?? jsonRpc },
    { target: { transport: 'grpc', address: urls.grpc }, request: grpc ?? jsonRpc },
  ] as const
  await Promise.all(
    asked.map(async (one) => {
      await using generator = startChild('load/load.ts')
      const slot: Slot = { ...one, connections: connectionsOfEach, milliseconds: loadMs }
      await generator.ask<Load>(slot)
    }),
  )
  return asked.length * connectionsOfEach
}

/** The number of code files that the process has loaded once it is ready. */
async function modules(): Promise<Figure[]> {
  using folder = dataFolder()
  const file = join(folder.path, 'modules')
  const settings = {
    COUNT_MODULES_IN: file,
    NODE_OPTIONS: `--import=${new URL('../count-modules.ts', import.meta.url)}`,
  }
  await (await startGateway(folder.path, settings))[Symbol.asyncDispose]()
  const [own = 0, all = 0] = readFileSync(file, 'utf8').split(' ').map(Number)
  return [
    { what: 'modules loaded', unit: 'files', rounds: [all] },
    { what: 'modules loaded, its own', unit: 'files', rounds: [own] },
  ]
}

/**
 * The size of the packages that `npm ci --omit=dev` leaves of those installed here; nested packages are listed
 * separately.
 */
function installed(): Figure[] {
  type Packages = Record<string, { dev?: boolean }>
  const { packages }: { packages: Packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const present = Object.entries(packages).filter(([path]) => path !== '' && existsSync(join(root, path)))
  const mebibytes = (some: typeof present) =>
    some.reduce((sum, [path]) => sum + folderBytes(join(root, path), 'node_modules'), 0) / 2 ** 20
  const production = present.filter(([, { dev }]) => dev !== true)
  return [
    { what: `installed: ${present.length} packages`, unit: 'MiB', rounds: [mebibytes(present)] },
    {
      what: `installed without development: ${production.length} packages`,
      unit: 'MiB',
      rounds: [mebibytes(production)],
    },
  ]
}
