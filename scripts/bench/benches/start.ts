import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { metrics } from '../../../src/contract/metrics.ts'
import { addresses } from '../../../src/sandbox/deploy/addresses.ts'
import { restRequest } from '../../../test/clients/http-request.ts'
import { restClient } from '../../../test/clients/rest.ts'
import { dataFolder } from '../../../test/data-folder.ts'
import { type EmbeddedChain, enginePid } from '../../../test/engine.ts'
import { type Gateway, startGateway } from '../../../test/gateway-process.ts'
import { startAnvil } from '../../../test/node/anvil.ts'
import { useOf } from '../../../test/process-use.ts'
import { newAccount } from '../../../test/world.ts'
import { exitOf, startChild } from '../child.ts'
import type { Bench, Figure } from '../figures.ts'
import type { Load, Slot } from '../load/load.ts'
import { inTurns, timed } from '../turns.ts'
import { balanceCall } from './chain.ts'

const rounds = 2
const idleMs = 2_000
const loadMs = 3_000
const connectionsOfEach = 16

/** The time until the gateway is ready, and its memory. */
export const bench: Bench = async () => [...(await starts()), ...(await memory())]

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
  const figure = (what: string, way: keyof typeof ways, name: string, floor: keyof typeof ways): Figure => {
    return { what, unit: 'ms', rounds: times.get(way) ?? [], floor: { name, rounds: times.get(floor) ?? [] } }
  }
  return [
    figure('bare anvil, to its first answer', 'anvil', 'node -e 0', 'node'),
    figure('the very first start, nothing compiled, to ready', 'first', 'bare anvil', 'anvil'),
    figure('fresh folder, to ready', 'fresh', 'bare anvil', 'anvil'),
    figure('folder of before, to ready', 'again', 'bare anvil', 'anvil'),
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
  const engineMb = (chain: EmbeddedChain) => useOf(Number(enginePid(folder.path, chain))).memoryKb() / 1_024
  const idle = [gateway.memoryMb()]
  const callers = await load(gateway)
  const loaded = [gateway.memoryMb()]
  return [
    { what: 'memory, idle', unit: 'MiB', rounds: idle, floor },
    { what: `memory, after ${loadMs / 1_000} s of ${callers} callers`, unit: 'MiB', rounds: loaded, floor },
    { what: "memory of the chain's engine", unit: 'MiB', rounds: [engineMb('chain')] },
    { what: "memory of the parent chain's engine", unit: 'MiB', rounds: [engineMb('chain/parent')] },
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
  const ask = async (one: (typeof asked)[number]) => {
    await using generator = startChild('load/load.ts')
    await generator.ask<Load>({ ...one, connections: connectionsOfEach, milliseconds: loadMs } satisfies Slot)
  }
  await Promise.all(asked.map(ask))
  return asked.length * connectionsOfEach
}
