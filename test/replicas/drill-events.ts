import { execFileSync, spawnSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Part, Replica, Replicas } from '../../scripts/replicas/open-replicas.ts'
import type { CutProxy } from './proxies.ts'

/** What events act on. */
export type Stage = {
  replicas: Replicas
  /** The proxies between each replica and what it uses, by `<replica> <part>`. */
  proxies: ReadonlyMap<string, CutProxy>
  /** The proxies between clients and the balancer. */
  doors: readonly CutProxy[]
  /** The folder of the version before; null where this clone has none. */
  codeBefore: string | null
  random(): number
}

/** A fault. `run` returns once what it broke is whole again; `since` is the moment from which callers' recovery is counted. */
type Fault = { name: string; weight: number; run(stage: Stage): Promise<{ since: number }> }

const now = () => performance.now()

const pick = <T>({ random }: Stage, from: readonly T[]): T => {
  const found = from[Math.floor(random() * from.length)]
  if (found === undefined) throw new Error('There is nothing to choose from.')
  return found
}

async function killed(stage: Stage, replica: Replica): Promise<{ since: number }> {
  const since = now()
  await replica.process().kill()
  await sleep(stage.random() * 1_500)
  await replica.start()
  return { since }
}

async function frozen(stage: Stage, replica: Replica): Promise<{ since: number }> {
  const since = now()
  replica.process().signal('SIGSTOP')
  await sleep(1_000 + stage.random() * 4_000)
  replica.process().signal('SIGCONT')
  return { since }
}

/** A replica loses one of the parts that it uses; the others keep it. */
const cutFrom =
  (part: Part, how: 'cut' | 'stall') =>
  async (stage: Stage): Promise<{ since: number }> => {
    const { gateways, workers } = stage.replicas
    const proxy = stage.proxies.get(`${pick(stage, [...gateways, ...workers]).name} ${part}`)
    const since = now()
    proxy?.[how]()
    await sleep(800 + stage.random() * 2_500)
    proxy?.mend()
    return { since }
  }

/** Ends a gateway as an operator does, and starts it with other settings or another version. */
async function replaced(replica: Replica, more: Record<string, string>, code?: string): Promise<void> {
  await replica.process().stop()
  await replica.start(more, code)
}

const everywhere: readonly Fault[] = [
  { name: 'kill -9 of a gateway', weight: 4, run: (stage) => killed(stage, pick(stage, stage.replicas.gateways)) },
  { name: 'SIGSTOP of a gateway', weight: 3, run: (stage) => frozen(stage, pick(stage, stage.replicas.gateways)) },
  {
    name: 'immediate restart of PostgreSQL',
    weight: 2,
    async run({ replicas: { postgres } }) {
      await postgres.crash()
      await postgres.restart()
      return { since: now() }
    },
  },
  {
    name: 'SIGSTOP of PostgreSQL',
    weight: 1,
    async run({ replicas: { postgres }, random }) {
      postgres.freeze()
      await sleep(500 + random() * 2_500)
      postgres.thaw()
      return { since: now() }
    },
  },
  { name: 'database cut from one', weight: 2, run: cutFrom('database', 'cut') },
  { name: 'database silent for one', weight: 2, run: cutFrom('database', 'stall') },
  { name: 'chain cut from one', weight: 2, run: cutFrom('sandbox', 'cut') },
  {
    name: 'SIGSTOP of the sandbox',
    weight: 1,
    async run({ replicas: { sandbox }, random }) {
      sandbox.signal('SIGSTOP')
      await sleep(500 + random() * 2_000)
      sandbox.signal('SIGCONT')
      return { since: now() }
    },
  },
  {
    name: 'kill -9 of the sandbox',
    weight: 1,
    async run({ replicas: { sandbox } }) {
      await sandbox.restart()
      return { since: now() }
    },
  },
  {
    name: 'callers cut',
    weight: 2,
    async run({ doors, random }) {
      const since = now()
      for (let count = 0; count < 3; count += 1) {
        for (const door of doors) door.cut('open')
        await sleep(random() * 400)
      }
      return { since }
    },
  },
  {
    name: 'a clock off by 5 minutes',
    weight: 1,
    async run(stage) {
      const replica = pick(stage, [...stage.replicas.gateways, ...stage.replicas.workers])
      const since = now()
      const preload = join(import.meta.dirname, 'shifted-clock.ts')
      const off = { NODE_OPTIONS: `--import ${preload}`, CLOCK_OFF_MS: stage.random() < 0.5 ? '300000' : '-300000' }
      await replaced(replica, off)
      await sleep(3_000)
      await replaced(replica, {})
      return { since }
    },
  },
]

const ofWorkers: readonly Fault[] = [
  { name: 'kill -9 of a worker', weight: 3, run: (stage) => killed(stage, pick(stage, stage.replicas.workers)) },
  { name: 'SIGSTOP of a worker', weight: 2, run: (stage) => frozen(stage, pick(stage, stage.replicas.workers)) },
]

const ofRedis: readonly Fault[] = [
  {
    name: 'kill -9 of Redis',
    weight: 2,
    async run({ replicas: { redis } }) {
      const since = now()
      await redis?.kill()
      await redis?.start()
      return { since }
    },
  },
  { name: 'Redis cut from one', weight: 1, run: cutFrom('redis', 'cut') },
  { name: 'Redis silent for one', weight: 1, run: cutFrom('redis', 'stall') },
]

const ofVersions: Fault = {
  name: 'rolling restart from the version before',
  weight: 1,
  async run({ replicas: { gateways }, codeBefore }) {
    const since = now()
    for (const replica of gateways) await replaced(replica, {}, codeBefore ?? undefined)
    await sleep(2_000)
    for (const replica of gateways) await replaced(replica, {})
    return { since }
  },
}

/** The faults that this stage can have, each as often as it weighs. */
export function faultsOf({ replicas, proxies, codeBefore }: Stage): Fault[] {
  const possible = [
    ...everywhere,
    ...(replicas.workers.length > 0 ? ofWorkers : []),
    ...([...proxies.keys()].some((name) => name.endsWith(' redis')) ? ofRedis : []),
    ...(codeBefore === null ? [] : [ofVersions]),
  ]
  return possible.flatMap((fault) => Array.from({ length: fault.weight }, () => fault))
}

/** Writes the source of a commit to a folder; null where this clone lacks it, or none is given. */
export function codeOf(commit: string | undefined, folder: string): string | null {
  const root = join(import.meta.dirname, '../..')
  if (commit === undefined) return null
  if (spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root }).status !== 0) return null
  const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 2 ** 28 })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}
