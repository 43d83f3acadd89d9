import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../../../src/sandbox/fixtures/testing.ts'
import { engineSocket } from '../../../test/engine.ts'
import { startGateway, type Urls } from '../../../test/gateway-process.ts'
import type { ProcessUse } from '../../../test/process-use.ts'
import { median, percentile } from '../../percentiles.ts'
import { type Child, startChild } from '../child.ts'
import type { Bench, Figure } from '../figures.ts'
import { engineKind, type KindName, readHeads, sharedNow, streamKinds } from '../readers/stream-kinds.ts'
import type { Arrivals, Readers } from '../readers/stream-readers.ts'
import { pollMs, waitMs } from '../turns.ts'

const idleBlocks = 1
const blocks = 3
/**
 * A block is mined every 2 s. The bare server sends the same this long after it, and the round ends this much later.
 */
const apartMs = { bare: 1_200, end: 500 }

/**
 * Lets a thousand readers, or the requested number, receive each new head on each protocol. It measures the delay after
 * the engine's own notification, the memory of a reader and the CPU time of a block. The floor is a bare server that
 * sends the same to as many readers between the blocks. Throws where a head is missing.
 */
export const bench: Bench = async (sizes) => {
  const counts = (sizes.length === 0 ? [1_000] : sizes).toSorted((a, b) => a - b)
  const figures: Figure[] = []
  for (const kind of Object.keys(streamKinds) as KindName[]) figures.push(...(await measure(kind, counts)))
  return figures
}

/** The gateway or the bare server, and the process of its readers. */
type Side = { use: ProcessUse; readers: Child; port: number }
/** One block of the gateway and then of the bare server: the time of each, and the CPU time at the end. */
type Round = { hash: string; began: number[]; worked: number[] }
/** The memory of a side without readers, and its CPU time for a block. */
type Idle = { memoryKb: number; workedMs: number }

/** New readers join those of the previous count. */
async function measure(kind: KindName, counts: readonly number[]): Promise<Figure[]> {
  // Each reader calls from its own address, as behind a proxy: one address may hold a bounded number of streams.
  const settings = { RATE_LIMITS: 'off', LOG_LEVEL: 'silent', TRUSTED_PROXIES: '127.0.0.1' }
  await using gateway = await startGateway(null, settings)
  using heads = await followEngine(gateway.dataDir)
  await using bare = startChild('servers/bare-streams.ts', kind)
  await using readers = startChild('readers/stream-readers.ts')
  await using bareReaders = startChild('readers/stream-readers.ts')
  const port = Number(gateway.urls[doors[kind]].split(':').at(-1))
  const sides: Side[] = [
    { use: gateway, readers, port },
    { use: bare.use, readers: bareReaders, port: await bare.ask<number>('port') },
  ]
  const round = async (): Promise<Round> => {
    const { hash, head, at: came } = await heads.next()
    await sleep(apartMs.bare)
    const given = await bare.ask<number>({ head })
    await sleep(apartMs.end)
    return { hash, began: [came, given], worked: sides.map(({ use }) => use.processorMs()) }
  }
  const before = await inLine(1 + idleBlocks, round)
  const idle = sides.map(({ use }, side) => ({ memoryKb: use.memoryKb(), workedMs: workOf(before, side) }))
  const figures: Figure[] = []
  for (const count of counts) {
    const rounds = await readRounds(kind, count, sides, round)
    const [ours = [], floors = []] = await Promise.all(
      sides.map(async (side, index) =>
        valuesOf(rounds, index, count, idle[index] as Idle, side.use, await side.readers.ask<Arrivals>('tell')),
      ),
    )
    figures.push(
      ...whats.map(([what, unit], index) => ({
        what: `${kind} to ${count}: ${what}`,
        unit,
        rounds: ours[index] ?? [],
        floor: { name: `bare ${bares[kind]}`, rounds: floors[index] ?? [] },
      })),
    )
  }
  return figures
}

/**
 * Opens readers until there are enough on both sides and each has received something; then runs rounds after the
 * previous one.
 */
async function readRounds(
  kind: KindName,
  count: number,
  sides: readonly Side[],
  round: () => Promise<Round>,
): Promise<Round[]> {
  await Promise.all(sides.map(({ port, readers }) => readers.ask({ kind, port, count } satisfies Readers)))
  const haveBegun = async () => {
    const seen = await Promise.all(sides.map(({ readers }) => readers.ask<Arrivals>('tell')))
    return seen.every(({ begun }) => begun >= count)
  }
  const early: Round[] = []
  const readOnce = async () => {
    early.push(await round())
    return await haveBegun()
  }
  await until(readOnce, 'all readers to have read', waitMs, pollMs)
  return [...early.slice(-1), ...(await inLine(blocks, round))]
}

async function inLine(many: number, round: () => Promise<Round>): Promise<Round[]> {
  const made: Round[] = []
  while (made.length < many) made.push(await round())
  return made
}

/** The CPU time of a side for each round but the first, which is the start of the count. */
function workOf(rounds: readonly Round[], side: number): number {
  const [first, last] = [rounds[0]?.worked[side] ?? Number.NaN, rounds.at(-1)?.worked[side] ?? Number.NaN]
  return (last - first) / (rounds.length - 1)
}

/** The values of the named figures, by round where a round has its own. */
function valuesOf(
  rounds: readonly Round[],
  side: number,
  count: number,
  idle: Idle,
  use: ProcessUse,
  arrivals: Arrivals,
): number[][] {
  const times = rounds.slice(1).map(({ hash, began }) => {
    const came = arrivals.of[hash] ?? []
    if (came.length !== count) throw new Error(`A head came ${came.length} times to ${count} readers.`)
    return came.map((time) => time - (began[side] ?? Number.NaN))
  })
  return [
    times.map((each) => Math.min(...each)),
    times.map(median),
    times.map((each) => percentile(each, 0.99)),
    times.map((each) => Math.max(...each)),
    [workOf(rounds, side) - idle.workedMs],
    [(use.memoryKb() - idle.memoryKb) / count],
  ]
}

const whats = [
  ['a head at its first reader', 'ms'],
  ['at half of them', 'ms'],
  ['at 99 of 100', 'ms'],
  ['at the last', 'ms'],
  ['processor, a head', 'ms'],
  ['memory, a reader', 'KiB'],
] as const satisfies [string, Figure['unit']][]

const doors = { SSE: 'http', WebSocket: 'rpc', gRPC: 'grpc' } as const satisfies Record<KindName, keyof Urls>
const bares = { SSE: 'node:http', WebSocket: 'ws', gRPC: 'grpc-js' } as const satisfies Record<KindName, string>

/** Reads the heads from the engine, which is the first to know a block, and not through the gateway. */
async function followEngine(dataDir: string) {
  type Head = { hash: string; head: object; at: number }
  let waiting = Promise.withResolvers<Head>()
  const socket = await readHeads({ path: engineSocket(dataDir) }, engineKind, '', {
    head(hash, text) {
      const at = sharedNow()
      waiting.resolve({ hash, head: JSON.parse(text).params.result, at })
    },
    lost: () => waiting.reject(new Error('The engine has closed its socket.')),
  })
  return {
    /** The next head from now on. */
    next() {
      waiting = Promise.withResolvers()
      return waiting.promise
    },
    [Symbol.dispose]: () => void socket.destroy(),
  }
}
