import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { output, type Protocol } from '../clients/client.ts'
import { type Clients, openClients } from '../clients/clients.ts'
import { dataFolder } from '../data-folder.ts'
import { compareWith, endWithHalt, readThroughCuts, readWhole, upTo } from '../drivers/account-reader.ts'
import { openTradeStore, type TradeStore } from '../drivers/trade-store.ts'
import { expectWholeAndOnce } from '../drivers/whole-and-once.ts'
import { killEngine } from '../engine.ts'
import { type Gateway, startGateway } from '../gateway-process.ts'
import { seeded } from '../seeded.ts'
import { type Account, fundedAccount, protocols } from '../world.ts'
import { figures as print } from './figures.ts'

const kills = 200
const engineKillEvery = 20
const amount = '0.002'

/** The work of one gateway process, and when it is killed. */
const lives = fc.record({
  end: fc.constantFrom('requested', 'simulated', 'reserved', 'signed', 'broadcast', 'included', 'start'),
  laterMs: fc.nat(25),
  protocols: fc.array(fc.constantFrom<Protocol>(...protocols), { minLength: 8, maxLength: 8 }),
})

const folder = dataFolder()
let gateway: Gateway | null = null
let clients: Clients | null = null
let store: TradeStore
let ada: Account

beforeAll(async () => {
  await open()
  ada = await fundedAccount(clients!.rest)
  store = openTradeStore(join(folder.path, 'trident.sqlite'))
}, 60_000)
afterAll(async () => {
  store?.close()
  await kill()
  folder[Symbol.dispose]()
})

async function open(): Promise<void> {
  // Each start listens on other ports, so links to the explorer would change.
  const started = await startGateway(folder.path, { PUBLIC_URL: 'http://gateway.example' })
  clients = openClients(started.urls)
  gateway = started
}

async function kill(): Promise<void> {
  const dying = gateway
  gateway = null
  await dying?.kill()
  clients?.[Symbol.dispose]()
}

const send = (key: string, protocol: Protocol) =>
  clients![protocol].call('trading.execute', ada.trade('WETH', 'USDC', amount, key, { skip_risk: true }), ada.token)

/** Waits until a trade is in the state; it may pass through it too quickly, or skip it. */
async function whenSeen(state: string): Promise<void> {
  for (const deadline = Date.now() + 1_500; Date.now() < deadline; await sleep(1))
    if (state === 'included' ? store.underWay().length === 0 : store.underWay().includes(state)) return
}

test(`${kills} kills at every step of running trades repeat none, lose none, leave true books and report each event once`, async () => {
  const figures = { kills: 0, engineKills: 0, requests: 0, slowestTakeUpMs: 0 }
  const caught: Record<string, number> = {}
  const keys: string[] = []
  let unanswered: string[] = []
  let lastId: string | null = null
  const door = () => (gateway === null ? null : clients)
  const following = readThroughCuts({ token: ada.token, random: seeded(21), door, lastId: () => lastId })
  // A failure is reported where it is awaited.
  following.catch(() => undefined)
  for (const life of fc.sample(lives, { seed: 20_261_121, numRuns: kills })) {
    if (gateway === null) {
      const begun = performance.now()
      const left = store.unsent(ada.wallet)
      await open()
      if (left > 0) {
        await until(() => store.unsent(ada.wallet) === 0, 'what was left to be taken up', 10_000)
        figures.slowestTakeUpMs = Math.max(figures.slowestTakeUpMs, Math.round(performance.now() - begun))
      }
    }
    const busy = life.end === 'start' || unanswered.length > 6
    const fresh = busy ? [] : [0, 1].map((index) => `key-${keys.length + index}`)
    keys.push(...fresh)
    const batch = [...unanswered.slice(0, 2), ...fresh]
    // Every request is made over two protocols at once.
    const asked = batch.flatMap((key, index) =>
      life.protocols.slice(index * 2, index * 2 + 2).map((protocol) => send(key, protocol).catch(() => null)),
    )
    figures.requests += asked.length
    unanswered = [...unanswered.slice(2), ...batch]
    if (life.end !== 'start') await whenSeen(life.end)
    if (figures.kills % engineKillEvery === engineKillEvery - 1) {
      killEngine(folder.path)
      figures.engineKills += 1
      await sleep(100)
    }
    await sleep(life.laterMs)
    await kill()
    figures.kills += 1
    for (const state of store.underWay()) caught[state] = (caught[state] ?? 0) + 1
    await Promise.all(asked)
    const decided = new Set(store.trades().flatMap((trade) => (trade.basis === null ? [] : [trade.idempotency_key])))
    unanswered = unanswered.filter((key) => !decided.has(key))
  }

  await open()
  const hashes = new Map<string, string>()
  for (let first = 0; first < keys.length; first += 20) {
    const asked = keys.slice(first, first + 20).map(async (key, index) => {
      const answer = await output(send(key, protocols[index % 3]!))
      expect([key, answer.status]).toEqual([key, 'success'])
      hashes.set(key, answer.tx_hash)
    })
    await Promise.all(asked)
  }
  await until(() => store.underWay().length === 0, 'every trade to be decided', 30_000)

  const whole = await expectWholeAndOnce({ store, keys, hashes, ada, rpc: gateway!.urls.rpc, amount })
  lastId = await endWithHalt(clients!, ada.token)
  const { seen, broken } = await following
  const events = await readWhole(clients!.rest, ada.token, lastId)
  expect(compareWith(events, upTo(seen, lastId))).toMatchObject({ lost: 0, doubled: 0, wrong: 0 })
  expect(broken).toBeGreaterThan(0)
  const states = Object.entries(caught).map(([state, count]) => `${state}:${count}`)
  print('kills amid trades', {
    ...figures,
    caught: states,
    trades: keys.length,
    events: events.length,
    broken,
    ...whole,
  })
}, 2_400_000)
