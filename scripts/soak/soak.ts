import { setTimeout as sleep } from 'node:timers/promises'
import { dataFolder } from '../../test/data-folder.ts'
import { enginePid } from '../../test/engine.ts'
import { injectFaults } from './faults/schedule.ts'
import { createWindows } from './faults/windows.ts'
import { lookAtRest, lookOn, lookWhenSettled, openLife, type Vitals } from './life.ts'
import { type Judgement, judge, type Looks } from './memory.ts'
import { createOutcomes, type Outcomes } from './outcomes.ts'
import { readLog, report } from './report.ts'
import { type Prepared, prepareTraffic, runTraffic } from './run-traffic.ts'
import { createTurnstile } from './turnstile.ts'
import type { SoakWorld } from './world.ts'

type SoakOptions = { seconds: number; seed: number; interrupted: AbortSignal }

const progressMs = 10_000
/** Slightly more than the time in which a trade must be decided. */
const mostEndingMs = 150_000

/** Runs a soak, prints the findings, and returns how many of them are failures. */
export async function soak({ seconds, seed, interrupted }: SoakOptions): Promise<number> {
  using folder = dataFolder()
  const windows = createWindows()
  const outcomes = createOutcomes({ causeOf: windows.causeOf, interrupted })
  console.log(`soak of ${seconds} s, seed ${seed}`)
  const ending = new AbortController()
  const over = AbortSignal.any([interrupted, ending.signal])
  await using life = await openLife(folder.path, { outcomes, turnstile: createTurnstile(), seed, over })
  const { world } = life
  const looks: Looks = { idle: await life.look(), during: [], atRest: [], settled: null }
  const prepared = await prepareTraffic(world)
  setTimeout(() => ending.abort(), seconds * 1_000).unref()
  const progress = setInterval(() => tell(world, looks.during.at(-1) ?? looks.idle), progressMs)
  const work = async () =>
    await Promise.all([
      ...prepared.map((one) => runTraffic(world, one)),
      injectFaults(world, windows, Math.min(3_000, seconds * 8)),
      lookOn(life, looks.during, Math.max(1_000, seconds * 25)),
      lookAtRest(life, looks.atRest, seconds),
    ])
  const ended = await attempted(outcomes, 'the gateway under traffic', () =>
    Promise.race([work(), aborted(interrupted), lateAfter(over)]),
  )
  ending.abort()
  clearInterval(progress)
  tell(world, looks.during.at(-1) ?? looks.idle)
  const found = (judgements: Judgement[], log: string) => report({ outcomes, windows, log: readLog(log), judgements })
  if (interrupted.aborted || ended === null) {
    console.log('It ended early: whether all is kept, and what is left open, was not looked at.')
    return found([], world.gateway.complaints())
  }

  await check(world, prepared, ({ settled }) => settled?.())
  await life.leave()
  looks.settled = await attempted(outcomes, 'the last look', () => lookWhenSettled(life, looks.idle))
  await world.gateway.kill()
  const after = await attempted(outcomes, 'the start after the kill', () => restart(world, prepared))
  return found(judge(looks), world.gateway.complaints() + (after ?? ''))
}

/** Runs work; a failure is recorded, and null is returned. */
async function attempted<T>(outcomes: Outcomes, what: string, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work()
  } catch (error) {
    outcomes.broken(`${what}: ${error}`)
    return null
  }
}

/** Runs the final checks of all traffic, and records what does not hold. */
async function check({ outcomes }: SoakWorld, prepared: readonly Prepared[], of: (work: Prepared['work']) => unknown) {
  for (const { traffic, work } of prepared) await attempted(outcomes, traffic.name, async () => await of(work))
}

/** Restarts the killed gateway, and checks that everything acknowledged is there; returns its log. */
async function restart(
  { gateway: _, clients: __, ...rest }: SoakWorld,
  prepared: readonly Prepared[],
): Promise<string> {
  const { dataDir, outcomes } = rest
  const life = await openLife(dataDir, rest)
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

/** Rejects where the running work does not end after the traffic has ended. */
async function lateAfter(over: AbortSignal): Promise<never> {
  await aborted(over)
  await sleep(mostEndingMs, undefined, { ref: false })
  throw new Error(`work was still running ${mostEndingMs / 1_000} s after the end of the traffic`)
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
