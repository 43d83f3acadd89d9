import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici'
import { grpcClient } from '../../test/clients/grpc.ts'
import { restClient } from '../../test/clients/rest.ts'
import { trpcClient } from '../../test/clients/trpc.ts'
import { enginePid } from '../../test/engine.ts'
import { dataFolder, type Gateway, startGateway } from '../../test/faults/gateway.ts'
import { inspected, openCollector } from './collector.ts'
import { pause } from './faults/fault.ts'
import { injectFaults } from './faults/schedule.ts'
import { createWindows } from './faults/windows.ts'
import { readLog } from './log.ts'
import { type Judgement, judge } from './memory.ts'
import { createOutcomes } from './outcomes.ts'
import { report } from './report.ts'
import { prepareTraffic, runTraffic } from './traffic.ts'
import { openVitals, type Vitals } from './vitals.ts'
import type { SoakWorld } from './world.ts'

export type SoakOptions = { seconds: number; seed: number; interrupted: AbortSignal }

const progressMs = 10_000
/** Streams that nobody reads are let go by then, and connections that nobody uses. */
const settleMs = 10_000
const settings = { LOG_LEVEL: 'warn', ...inspected }

/** Soaks a gateway, prints what was found, and answers how much of it must not be. */
export async function soak({ seconds, seed, interrupted }: SoakOptions): Promise<number> {
  using folder = dataFolder()
  const windows = createWindows()
  const outcomes = createOutcomes(windows.causeOf)
  const judgements: Judgement[] = []
  let log = ''
  console.log(`soak of ${seconds} s, seed ${seed}`)
  {
    await using gateway = await startGateway(folder.path, settings)
    const over = AbortSignal.any([interrupted, AbortSignal.timeout(seconds * 1_000)])
    const world = { ...callersOf(gateway), gateway, dataDir: folder.path, outcomes, seed, over }
    using collector = await openCollector(gateway)
    const look = openVitals(gateway, folder.path)
    const lookCollected = async () => {
      await collector.collect()
      return await look()
    }
    const idle = await lookCollected()
    const prepared = await prepareTraffic(world)
    const during: Vitals[] = []
    const progress = setInterval(() => tell(world, during.at(-1) ?? idle), progressMs)
    const looking = async () => {
      for (; !over.aborted; await pause(world, Math.max(1_000, seconds * 10))) during.push(await lookCollected())
    }
    await Promise.all([
      ...prepared.map((one) => runTraffic(world, one)),
      injectFaults(world, windows, Math.min(3_000, seconds * 8)),
      looking(),
    ]).finally(() => clearInterval(progress))
    tell(world, during.at(-1) ?? idle)
    if (!interrupted.aborted) {
      for (const { traffic, work } of prepared)
        await work.settled?.().catch((error: unknown) => outcomes.broken(`${traffic.name}: ${error}`))
      await leave(world)
      await sleep(settleMs)
      judgements.push(...judge({ idle, during, settled: await lookCollected() }))
      await gateway.kill()
      log += gateway.complaints()
      await using again = await startGateway(folder.path, settings)
      const anew = { ...world, ...callersOf(again), gateway: again }
      for (const { traffic, work } of prepared)
        await work.restarted?.(anew).catch((error: unknown) => outcomes.broken(`${traffic.name}: ${error}`))
      await leave(anew)
      const engines = (['chain', 'chain/parent'] as const).map((chain) => enginePid(folder.path, chain))
      await again[Symbol.asyncDispose]()
      log += again.complaints()
      for (const pid of engines) if (isRunning(pid)) outcomes.broken(`the engine ${pid} runs on`)
    } else log += gateway.complaints()
  }
  return report(outcomes, windows.counts(), readLog(log), judgements)
}

function callersOf({ urls }: Gateway): Pick<SoakWorld, 'clients'> {
  return { clients: { rest: restClient(urls.http), trpc: trpcClient(urls.http), grpc: grpcClient(urls.grpc) } }
}

/** Closes every connection of ours. */
async function leave({ clients }: SoakWorld): Promise<void> {
  for (const client of Object.values(clients)) client.close()
  const connections = getGlobalDispatcher()
  setGlobalDispatcher(new Agent())
  await connections.destroy()
}

function tell({ outcomes }: SoakWorld, { at, heapMb, residentMb, descriptors, lagMs }: Vitals): void {
  const { expected, unexpected } = outcomes.errors()
  const figures = [
    `${at.toFixed(0)} s`,
    `${outcomes.requests()} requests`,
    `${expected} expected errors`,
    `${unexpected} unexpected`,
    `${outcomes.breaches().length} broken`,
    `heap ${heapMb.toFixed(1)} MB`,
    `resident ${residentMb.toFixed(0)} MB`,
    `${descriptors} descriptors`,
    `lag ${lagMs.toFixed(0)} ms`,
  ]
  console.log(figures.join('  '))
}

function isRunning(pid: string): boolean {
  try {
    return process.kill(Number(pid), 0)
  } catch {
    return false
  }
}
