import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { alignedTable } from '../../scripts/markdown-table.ts'
import { median } from '../../scripts/percentiles.ts'
import { openReplicas, type Replicas, urlsOf } from '../../scripts/replicas/open-replicas.ts'
import { dataFolder } from '../data-folder.ts'
import { operatorToken } from '../operator-token.ts'
import { seeded } from '../seeded.ts'
import { seed } from '../sized.ts'
import { type Account, fundedAccount } from '../world.ts'
import { codeOf, faultsOf, type Stage } from './drill-events.ts'
import { openHalts } from './halts.ts'
import { judge, openTrades, type Verdict } from './judge.ts'
import { startProbes } from './probes.ts'
import { type CutProxy, openCutProxy, portOf, withPort } from './proxies.ts'
import { measureRate, rateSettings } from './rate.ts'
import { type Entry, type Note, type Notes, openEntry, readOn, storedIds, tradeOn } from './trading-clients.ts'

/** `REPLICAS=whole` runs all of it, for about half an hour; otherwise as much as two minutes have. */
const isWhole = process.env.REPLICAS === 'whole'
const wallets = Number(process.env.DRILL_WALLETS ?? (isWhole ? 64 : 12))
const seconds = Number(process.env.DRILL_SECONDS ?? (isWhole ? 1_800 : 45))
const mostEvents = isWhole ? 300 : 1_000
/** Accounts that trade as much at once as they can, up to the cap of a day. */
const greedy = 3
const dailyUsd = 200
const readers = isWhole ? 16 : 6
/** How many keys are sent to all gateways at the same moment. */
const bursts = isWhole ? 1_000 : 60

test('a drill: processes are killed, stopped and cut from each other amid trades, and nothing acknowledged is lost or repeated', async () => {
  console.log(`TEST_SEED=${seed}`)
  await using opened = new AsyncDisposableStack()
  const { stage, replicas, entry, direct } = await openStage(opened)
  const random = seeded(seed)
  const accounts = await manyAccounts(direct[0]!, wallets)
  const over = new AbortController()
  const notes: Notes = { trades: [], odd: [] }
  const probes = startProbes(urlsOf(replicas.balancer.ports).http, accounts[0]!.token, over.signal)
  const halts = openHalts(direct, operatorToken, notes, random)
  const reading = accounts
    .slice(0, readers)
    .map((account) => readOn(entry, account, () => 500 + random() * 2_000, over.signal))
  const load = accounts.map((account, place) =>
    place < greedy ? greedyLoad(notes, entry, account, over.signal) : steadyLoad(notes, [entry], account, over.signal),
  )
  const left = { bursts }
  const others = accounts.slice(greedy)
  const bursting = Promise.all(
    others.slice(0, isWhole ? 4 : 1).map(() => burstLoad(notes, direct, others, left, over.signal)),
  )
  opened.defer(async () => {
    over.abort()
    await Promise.allSettled([...load, ...reading, bursting])
  })

  const recoveries: Recovery[] = []
  const faults = faultsOf(stage)
  const begun = performance.now()
  await sleep(3_000)
  while (recoveries.length < mostEvents && performance.now() - begun < seconds * 1_000) {
    const fault = faults[Math.floor(random() * faults.length)]!
    const at = performance.now()
    const { since } = await fault.run(stage)
    await sleep(1_500 + random() * 1_500)
    recoveries.push({ name: fault.name, at, since, until: performance.now() })
    if (recoveries.length % 4 === 1) await halts.once()
  }
  // Whatever is undecided is asked on while all is whole again.
  const lateMs = 40_000
  over.abort()
  await Promise.all([...load, bursting])
  const late = AbortSignal.timeout(lateMs)
  for (const note of notes.trades.filter(({ decidedAt }) => decidedAt === null))
    await tradeOn(notes, [entry], { account: note.account, key: note.key, amount: amountOf(note), protocol: 0 }, late)
  await settled(replicas)
  const reads = await Promise.all(reading)
  const streams: string[] = []
  for (const read of reads) {
    const stored = await storedIds(entry, read)
    if (stored.join() !== read.ids.join()) streams.push(`${read.account.wallet}: ${difference(read.ids, stored)}`)
    streams.push(...read.odd)
  }
  const found = { databaseUrl: replicas.databaseUrl, rpc: replicas.urls.rpc, notes: notes.trades, accounts, dailyUsd }
  const verdict = await judgedWhenBooked(replicas, found)
  const handOvers = reads.reduce((sum, read) => sum + read.handOvers, 0)
  const rate = await measureRate(direct, accounts.at(-1)!)
  report({ notes, verdict, streams, handOvers, recoveries, probes, halts, stage, rate })
  expect({ ...verdict, streams, halted: halts.broken, odd: notes.odd }).toEqual({
    ...{ lost: [], repeated: [], gaps: [], caps: [], books: [], audit: [], open: [] },
    ...{ streams: [], halted: [], odd: [] },
  })
  expect(Math.abs(rate.served - rate.limit)).toBeLessThanOrEqual(rate.limit / 10)
  expect(recoveries.length).toBeGreaterThan(2)
}, 3_600_000)

type Recovery = { name: string; at: number; since: number; until: number }

/** Everything that runs, with a proxy at each connection that a fault may cut. */
async function openStage(opened: AsyncDisposableStack) {
  const folder = opened.use(dataFolder())
  const proxies = new Map<string, CutProxy>()
  const replicas = opened.use(
    await openReplicas({
      dir: folder.path,
      gateways: 3,
      workers: 2,
      ports: { http: 0, grpc: 0, rpc: 0 },
      settings: { ...rateSettings, MAX_DAILY_USD: `${dailyUsd}`, DRAIN_SECONDS: '1' },
      async through(replica, part, url) {
        const proxy = opened.use(await openCutProxy(portOf(url)))
        proxies.set(`${replica} ${part}`, proxy)
        return withPort(url, proxy.port)
      },
    }),
  )
  const { http, grpc } = replicas.balancer.ports
  const doors = [opened.use(await openCutProxy(http)), opened.use(await openCutProxy(grpc))] as const
  const entry = openEntry({ http: `http://127.0.0.1:${doors[0].port}`, grpc: `127.0.0.1:${doors[1].port}` })
  opened.defer(() => entry.close())
  const direct = replicas.gateways.map(({ ports }) => openEntry(urlsOf(ports)))
  opened.defer(() => {
    for (const one of direct) one.close()
  })
  const before = opened.use(dataFolder())
  const codeBefore = codeOf(process.env.REPLICAS_BEFORE, before.path)
  if (codeBefore === null) console.log('SKIPPED, REPLICAS_BEFORE names no commit here: a rolling restart')
  const stage: Stage = { replicas, proxies, doors, codeBefore, random: seeded(seed + 1) }
  return { stage, replicas, entry, direct }
}

async function manyAccounts(entry: Entry, count: number): Promise<Account[]> {
  const accounts: Account[] = []
  while (accounts.length < count) {
    const some = Array.from({ length: Math.min(4, count - accounts.length) }, () => fundedAccount(entry.one('rest')))
    accounts.push(...(await Promise.all(some)))
  }
  return accounts
}

const steadyAmount = '0.0001'
const greedyAmount = '0.02'
const amountOf = ({ key }: Note) => (key.startsWith('greedy') ? greedyAmount : steadyAmount)
let keys = 0

async function steadyLoad(notes: Notes, entries: readonly Entry[], account: Account, over: AbortSignal): Promise<void> {
  for (let turn = 0; !over.aborted; turn += 1) {
    const order = { account, key: `steady-${++keys}`, amount: steadyAmount, protocol: turn }
    const { status } = await tradeOn(notes, entries, order, over)
    await sleep(status === 'rejected' ? 1_000 : 300)
  }
}

/** Several trades at once, which together would pass the cap. */
async function greedyLoad(notes: Notes, entry: Entry, account: Account, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    const orders = [0, 1, 2].map((protocol) => ({ account, key: `greedy-${++keys}`, amount: greedyAmount, protocol }))
    await Promise.all(orders.map((order) => tradeOn(notes, [entry], order, over)))
    await sleep(2_000)
  }
}

/** One key to all gateways at the same moment. */
async function burstLoad(
  notes: Notes,
  direct: readonly Entry[],
  accounts: readonly Account[],
  left: { bursts: number },
  over: AbortSignal,
) {
  while (left.bursts-- > 0 && !over.aborted) {
    const [account, protocol] = [accounts[left.bursts % accounts.length]!, left.bursts]
    await tradeOn(notes, direct, { account, key: `burst-${++keys}`, amount: steadyAmount, protocol }, over)
    await sleep(100)
  }
}

/** Waits until no trade is under way, or a minute has passed. */
async function settled({ postgres }: Replicas): Promise<void> {
  const deadline = performance.now() + 60_000
  while ((await openTrades(postgres)).length > 0 && performance.now() < deadline) await sleep(500)
}

/** The books follow the chain by a few seconds. */
async function judgedWhenBooked({ postgres }: Replicas, found: Parameters<typeof judge>[1]): Promise<Verdict> {
  for (let tries = 0; ; tries += 1) {
    const verdict = await judge(postgres, found)
    if ((verdict.books.length === 0 && verdict.gaps.length === 0) || tries >= 5) return verdict
    await sleep(3_000)
  }
}

function difference(read: readonly string[], stored: readonly string[]): string {
  const lost = stored.filter((id) => !read.includes(id))
  const repeated = read.filter((id, place) => read.indexOf(id) !== place)
  return `lost ${lost.length} (${lost.slice(0, 5)}), repeated ${repeated.length} (${repeated.slice(0, 5)}) of ${stored.length}`
}

type Reported = {
  notes: Notes
  verdict: Verdict
  streams: string[]
  handOvers: number
  recoveries: Recovery[]
  probes: ReturnType<typeof startProbes>
  halts: ReturnType<typeof openHalts>
  stage: Stage
  rate: { served: number; limit: number }
}

/** One table of what was measured, and one of how soon callers were served again. */
function report({ notes, verdict, streams, handOvers, recoveries, probes, halts, stage, rate }: Reported): void {
  const { trades } = notes
  const succeeded = trades.filter(({ status }) => status === 'success')
  const burst = trades.filter(({ key }) => key.startsWith('burst'))
  const repeatedBursts = verdict.repeated.filter((line) => line.startsWith('burst')).length
  const tookMs = succeeded.map(({ firstSentAt, decidedAt }) => (decidedAt ?? 0) - firstSentAt)
  const rows = [
    ['seed', `${seed}`],
    ['events', `${recoveries.length}`],
    ['processes', `${stage.replicas.gateways.length} gateways, ${stage.replicas.workers.length} workers`],
    ['trades sent, acknowledged as a success', `${trades.length}, ${succeeded.length}`],
    ['a trade takes, median', `${Math.round(median(tookMs))} ms`],
    ['acknowledged trades lost', `${verdict.lost.length}`],
    ['acknowledged trades repeated', `${verdict.repeated.length}`],
    ['nonce gaps', `${verdict.gaps.length}`],
    ['caps exceeded', `${verdict.caps.length}`],
    ['audit chain broken', `${verdict.audit.length}`],
    ['books that differ from the chain', `${verdict.books.length}`],
    ['trades left open', `${verdict.open.length}`],
    [`one key to all three at once, ${burst.length} times`, `${repeatedBursts} sent twice`],
    [`streams with a loss or a repeat, over ${handOvers} hand-overs`, `${streams.length}`],
    ['served of a rate over all gateways', `${rate.served}, the rate is ${rate.limit}`],
    [`trades started after a halt, ${halts.count()} halts`, `${halts.broken.length} of ${halts.tried()}`],
  ]
  console.log(alignedTable([['measured', 'found'], ...rows]))
  const kinds = [...Map.groupBy(recoveries, ({ name }) => name)].map(([name, all]) => {
    const back = all.map(({ since, until }) => probes.backMs(since, until))
    const traded = all.map(({ since, until }) => pausedMs(trades, since, until))
    const texts = [back.map(({ served }) => served), back.map(({ prompt }) => prompt), traded]
      .flatMap((ms) => [median(ms), Math.max(...ms)])
      .map((ms) => `${Math.round(ms)}`)
    return [name, `${all.length}`, ...texts]
  })
  for (const line of unexpected(stage)) console.log(line)
  console.log(
    alignedTable([
      ['event', 'times', 'served p50 ms', 'longest', 'prompt p50 ms', 'longest', 'no trade p50 ms', 'longest'],
      ...kinds,
    ]),
  )
}

/** What the processes logged as failures of their own, where they have not been started again since. */
function unexpected({ replicas: { gateways, workers } }: Stage): string[] {
  return [...gateways, ...workers].flatMap((replica) =>
    replica
      .process()
      .complaints()
      .split('\n')
      .filter((line) => line.includes('"level":50') && !line.includes('does not respond'))
      .slice(0, 5)
      .map((line) => `${replica.name}: ${line.slice(0, 1_500)}`),
  )
}

/** The longest time without a trade that was told as a success, from a fault until a few seconds after it. */
function pausedMs(trades: readonly Note[], since: number, until: number): number {
  const told = trades.flatMap(({ status, decidedAt }) =>
    status === 'success' && decidedAt !== null ? [decidedAt] : [],
  )
  const times = [since, ...told.filter((at) => at > since && at < until + 5_000)].toSorted((one, other) => one - other)
  return Math.max(...times.slice(1).map((at, place) => at - (times[place] ?? at)))
}
