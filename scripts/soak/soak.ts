import { setTimeout as sleep } from 'node:timers/promises'
import { enginePid } from '../../test/engine.ts'
import { dataFolder } from '../../test/faults/gateway.ts'
import { pause } from './faults/fault.ts'
import { injectFaults } from './faults/schedule.ts'
import { createWindows } from './faults/windows.ts'
import { type Life, openLife } from './life.ts'
import { readLog } from './log.ts'
import { type Judgement, judge } from './memory.ts'
import { createOutcomes } from './outcomes.ts'
import { report } from './report.ts'
import { type Prepared, prepareTraffic, runTraffic } from './run-traffic.ts'
import type { Vitals } from './vitals.ts'
import type { SoakWorld } from './world.ts'

export type SoakOptions = { seconds: number; seed: number; interrupted: AbortSignal }

const progressMs = 10_000
/** What only the gateway itself holds open and nobody uses, as connections to its providers, is let go by then. */
const settleMs = 10_000

/** Soaks a gateway, prints what was found, and answers how much of it must not be. */
export async function soak({ seconds, seed, interrupted }: SoakOptions): Promise<number> {
  using folder = dataFolder()
  const windows = createWindows()
  const outcomes = createOutcomes({ causeOf: windows.causeOf, interrupted })
  console.log(`soak of ${seconds} s, seed ${seed}`)
  const ending = new AbortController()
  const over = AbortSignal.any([interrupted, ending.signal])
  await using life = await openLife(folder.path, { outcomes, seed, over })
  const { world } = life
  const idle = await life.look()
  const prepared = await prepareTraffic(world)
  const during: Vitals[] = []
  const begun = performance.now()
  setTimeout(() => ending.abort(), seconds * 1_000).unref()
  const progress = setInterval(() => tell(world, during.at(-1) ?? idle), progressMs)
  const work = Promise.all([
    ...prepared.map((one) => runTraffic(world, one)),
    injectFaults(world, windows, Math.min(3_000, seconds * 8)),
    lookOn(life, during, Math.max(1_000, seconds * 25)),
  ])
  await Promise.race([work, aborted(interrupted)]).finally(() => clearInterval(progress))
  tell(world, during.at(-1) ?? idle)
  const traffic = { from: begun, to: performance.now() }
  const found = (judgements: Judgement[], log: string) =>
    report({ outcomes, windows, log: readLog(log), judgements, traffic })
  if (interrupted.aborted) {
    console.log('interrupted: whether all is kept, and what is left open, was not looked at')
    return found([], world.gateway.complaints())
  }

  await check(world, prepared, ({ settled }) => settled?.())
  await life.leave()
  const settled = await settle(life, idle)
  await world.gateway.kill()
  const log = world.gateway.complaints() + (await restart(world, prepared))
  return found(judge({ idle, during, settled }), log)
}

/** Has all traffic look after its own; what does not hold is noted. */
async function check({ outcomes }: SoakWorld, prepared: readonly Prepared[], of: (work: Prepared['work']) => unknown) {
  for (const { traffic, work } of prepared) {
    try {
      await of(work)
    } catch (error) {
      outcomes.broken(`${traffic.name}: ${error}`)
    }
  }
}

async function lookOn({ look, world }: Life, during: Vitals[], pauseMs: number): Promise<void> {
  for (; !world.over.aborted; await pause(world, pauseMs)) during.push(await look())
}

/** Waits until as little is open as at the beginning, or no longer than that may take. */
async function settle({ look }: Life, idle: Vitals): Promise<Vitals> {
  let settled = await look()
  for (const until = Date.now() + settleMs; settled.descriptors > idle.descriptors && Date.now() < until; ) {
    await sleep(500)
    settled = await look()
  }
  return settled
}

/** Starts the killed gateway anew, and looks whether all that was acknowledged is there; answers its log. */
async function restart({ dataDir, outcomes, seed, over }: SoakWorld, prepared: readonly Prepared[]): Promise<string> {
  const life = await openLife(dataDir, { outcomes, seed, over })
  await check(life.world, prepared, ({ restarted }) => restarted?.(life.world))
  await life.leave()
  const engines = (['chain', 'chain/parent'] as const).map((chain) => enginePid(dataDir, chain))
  await life[Symbol.asyncDispose]()
  for (const pid of engines)
    if (pid !== null && isRunning(pid)) outcomes.broken(`the engine ${pid} runs on after the gateway`)
  return life.world.gateway.complaints()
}

function tell({ outcomes }: SoakWorld, { at, heapMb, residentMb, descriptors, lagMs }: Vitals): void {
  const { expected, unexpected } = outcomes.errors()
  const counts = `${outcomes.requests()} requests, errors ${expected} expected, ${unexpected} unexpected`
  const memory = `heap ${heapMb.toFixed(1)} MB, resident ${residentMb.toFixed(0)} MB, ${descriptors} descriptors`
  console.log(`${at.toFixed(0)} s: ${counts}, ${outcomes.breaches()} broken; ${memory}, held up ${lagMs.toFixed(0)} ms`)
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
