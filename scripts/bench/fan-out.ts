import { setTimeout as sleep } from 'node:timers/promises'
import { engineSocket } from '../../test/engine.ts'
import { startGateway } from '../gateway-process.ts'
import { median, percentile } from '../percentiles.ts'
import type { Bench } from './bench.ts'
import { startChild } from './child.ts'
import type { Figure } from './figures.ts'
import { engineKind, type KindName, streamKinds } from './stream-kinds.ts'
import { readHeads, sharedNow } from './stream-reader.ts'
import type { Arrivals, Readers } from './stream-readers.ts'

const idleBlocks = 2
const blocks = 4
/** A block comes every 2 s. So long after it the bare server gives the same, and so much later all have that too. */
const apartMs = { bare: 1_200, end: 500 }

/**
 * Has each new head read by a thousand readers on each protocol: how long after the engine's own word it is there, and
 * what a reader takes of memory and a block of the processor. The floor is a bare server that gives the same to as many
 * readers in between the blocks. Throws where a head is missed or told twice.
 */
export const bench: Bench = async (sizes) => {
  const figures: Figure[] = []
  for (const count of sizes.length === 0 ? [1_000] : sizes)
    for (const kind of Object.keys(streamKinds) as KindName[]) figures.push(...(await measure(kind, count)))
  return figures
}

async function measure(kind: KindName, count: number): Promise<Figure[]> {
  // Each reader calls from an address of its own, as behind a proxy: one address may hold a bounded number of streams.
  const settings = { RATE_LIMITS: 'off', LOG_LEVEL: 'silent', TRUSTED_PROXIES: '127.0.0.1' }
  await using gateway = await startGateway(settings)
  using heads = await followEngine(gateway.dataDir)
  await using bare = startChild('bare-streams.ts', kind)
  await using readers = startChild('stream-readers.ts')
  await using bareReaders = startChild('stream-readers.ts')
  const port = Number(gateway.urls.get(doors[kind])?.split(':').at(-1))
  const sides = [
    { use: gateway.use, readers, port },
    { use: bare.use, readers: bareReaders, port: await bare.ask<number>('port') },
  ]

  /** One block of the gateway and then of the bare server, with what both have worked until they were done. */
  async function round() {
    const { hash, head, at: came } = await heads.next()
    await sleep(apartMs.bare)
    const given = await bare.ask<number>({ head })
    await sleep(apartMs.end)
    return { hash, began: [came, given], worked: sides.map(({ use }) => use.processorMs()) }
  }

  async function rounds(many: number) {
    const made: Awaited<ReturnType<typeof round>>[] = []
    while (made.length < many) made.push(await round())
    return made
  }

  const told = () => Promise.all(sides.map((side) => side.readers.ask<Arrivals>('tell')))
  const [first, ...idle] = await rounds(1 + idleBlocks)
  const memory = sides.map(({ use }) => use.memoryKb())
  const asked = sides.map(({ port: at }): Readers => ({ kind, port: at, count }))
  await Promise.all(sides.map((side, index) => side.readers.ask(asked[index] ?? {})))
  let before = await round()
  while ((await told()).some(({ begun }) => begun < count)) before = await round()
  const measured = await rounds(blocks)
  const arrivals = await told()

  const [ours = [], floors = []] = sides.map((side, index) => {
    const workedAt = (round: typeof before | undefined) => round?.worked[index] ?? Number.NaN
    const idleMs = (workedAt(idle.at(-1)) - workedAt(first)) / idleBlocks
    const times = measured.map(({ hash, began }) => {
      const came = arrivals[index]?.of[hash] ?? []
      if (came.length !== count) throw new Error(`${kind}: a head came ${came.length} times to ${count} readers.`)
      return came.map((time) => time - (began[index] ?? Number.NaN))
    })
    const worked = (workedAt(measured.at(-1)) - workedAt(before)) / blocks
    return [
      times.map((each) => Math.min(...each)),
      times.map(median),
      times.map((each) => percentile(each, 0.99)),
      times.map((each) => Math.max(...each)),
      [worked - idleMs],
      [(side.use.memoryKb() - (memory[index] ?? Number.NaN)) / count],
    ]
  })
  return whats.map(([what, unit], index) => ({
    what: `${kind} to ${count}: ${what}`,
    unit,
    rounds: ours[index] ?? [],
    floor: { name: `bare ${bares[kind]}`, rounds: floors[index] ?? [] },
  }))
}

const whats = [
  ['a head at its first reader', 'ms'],
  ['at half of them', 'ms'],
  ['at 99 of 100', 'ms'],
  ['at the last', 'ms'],
  ['processor, a head', 'ms'],
  ['memory, a reader', 'KB'],
] as const satisfies [string, Figure['unit']][]

const doors = { SSE: 'REST', WebSocket: 'JSON-RPC', gRPC: 'gRPC' } as const satisfies Record<KindName, string>
const bares = { SSE: 'node:http', WebSocket: 'ws', gRPC: 'grpc-js' } as const satisfies Record<KindName, string>

/** Reads the heads that the engine itself tells of, beside the gateway: the first to know of a block. */
async function followEngine(dataDir: string) {
  type Head = { hash: string; head: object; at: number }
  let waiting = Promise.withResolvers<Head>()
  const socket = await readHeads({ path: engineSocket(dataDir) }, engineKind, '', {
    head(hash, text) {
      waiting.resolve({ hash, head: JSON.parse(text).params.result, at: sharedNow() })
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
