import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { type Event, output } from '../clients/client.ts'
import { type Clients, openClients } from '../clients/clients.ts'
import { dataFolder } from '../data-folder.ts'
import {
  compareWith,
  endWithHalt,
  type Reading,
  readThroughCuts,
  readWhole,
  type Tally,
} from '../drivers/account-reader.ts'
import { openTradeStore, type TradeStore } from '../drivers/trade-store.ts'
import { type Gateway, startGateway } from '../gateway-process.ts'
import { operatorToken } from '../operator-token.ts'
import { seeded } from '../seeded.ts'
import { type Account, fundedAccount, newAccount, protocols } from '../world.ts'
import { figures } from './figures.ts'

const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)
const readers = 6
const kills = 5
/** A fixed address, because each start listens on other ports and events have links to the explorer. */
const settings = { PUBLIC_URL: 'http://gateway.example' }

let gateway: Gateway | null = null
let clients: Clients | null = null
/** The clients of the running gateway; null from before it is killed until it runs again. */
const door = () => (gateway === null ? null : clients)

async function open(folder: string): Promise<void> {
  const started = await startGateway(folder, settings)
  clients = openClients(started.urls)
  gateway = started
}

async function kill(): Promise<void> {
  const dying = gateway
  gateway = null
  await dying?.kill()
  clients?.[Symbol.dispose]()
}

/** Trades without a pause, also while the gateway is killed and while trades are halted. Returns how many succeeded. */
async function keepTrading(ada: Account, worker: number, isOver: () => boolean): Promise<number> {
  const random = seeded(seed + 1_000 * (worker + 1))
  let done = 0
  for (let count = 0; !isOver(); count += 1) {
    const [from, to, amount] = random() < 0.7 ? (['WETH', 'USDC', '0.002'] as const) : (['USDC', 'WETH', '5'] as const)
    const protocol = protocols[Math.floor(random() * 3)]!
    const order = ada.trade(from, to, amount, `key-${worker}-${count}`, { skip_risk: true })
    const asked = door()?.[protocol].call('trading.execute', order, ada.token)
    const answer = await asked?.catch(() => null)
    if (answer?.ok) done += 1
    else await sleep(50)
  }
  return done
}

/** Repeats an order of the operator until it is acknowledged, over kills of the gateway. */
async function order(id: 'operator.haltTrading' | 'operator.resumeTrading', halt: object): Promise<void> {
  const asked = async () =>
    (
      await door()
        ?.rest.call(id, halt, operatorToken)
        .catch(() => null)
    )?.ok === true
  await until(asked, 'the order to be acknowledged', 60_000)
}

/** Sets and lifts halts: most of a wallet of another account, some that stop the trades. */
async function keepHalting(ada: Account, grace: Account, isOver: () => boolean): Promise<number> {
  const random = seeded(seed + 100)
  const mine = [
    { scope: 'wallet', id: ada.wallet },
    { scope: 'chain', id: String(ada.swap('WETH', 'USDC', '1').chain_id) },
    { scope: 'global' },
  ]
  let halts = 0
  while (!isOver()) {
    await sleep(random() * 1_500)
    const halt = random() < 0.4 ? { scope: 'wallet', id: grace.wallet } : mine[Math.floor(random() * mine.length)]!
    await order('operator.haltTrading', halt)
    await sleep(random() * 400)
    await order('operator.resumeTrading', halt)
    halts += 1
  }
  return halts
}

/** Every stored state from `reserved` on is one event of its trade, in order, and every halt of the account one. */
function expectStored(truth: readonly Event[], store: TradeStore, wallet: string): void {
  const reported = Map.groupBy(
    truth.flatMap(({ execution }) => execution ?? []),
    ({ execution_id }) => execution_id as string,
  )
  const stored = Map.groupBy(store.moves(wallet), ({ execution_id }) => execution_id)
  expect(reported.size).toBe(stored.size)
  for (const [id, moves] of stored) {
    const events = (reported.get(id) ?? []).map(({ state, message, tx_hash = null }) => ({ state, message, tx_hash }))
    expect(events, id).toEqual(moves.map(({ state, message, tx_hash }) => ({ state, message, tx_hash })))
  }
  const halts = truth.flatMap(({ halt }) => halt ?? [])
  expect(halts.map(({ scope, id = '', halted }) => ({ scope, target: id, halted: halted ? 1 : 0 }))).toEqual(
    store.halts(wallet),
  )
}

/** The last event of each position is what the account holds. */
async function expectHeld(truth: readonly Event[], ada: Account): Promise<void> {
  const held = new Map(truth.flatMap(({ position }) => (position ? [[position.token_symbol, position]] : [])))
  for (const now of await output(clients!.rest.call('metrics.positions', {}, ada.token)))
    expect(now).toMatchObject(held.get(now.token_symbol)!)
}

test('500 random cuts and kill -9 of the gateway: every event of an account is received once, on three protocols', async () => {
  console.log(`seed ${seed}: SEED=${seed} repeats it`)
  using folder = dataFolder()
  let over = false
  await using stop = new AsyncDisposableStack()
  stop.defer(kill)
  stop.defer(() => {
    over = true
  })
  await open(folder.path)
  const ada = await fundedAccount(clients!.rest)
  const grace = await newAccount(clients!.grpc)
  const store = openTradeStore(join(folder.path, 'trident.sqlite'))
  stop.defer(() => store.close())
  let lastId: string | null = null
  const reading = Promise.all(
    Array.from({ length: readers }, (_, index) =>
      readThroughCuts({ token: ada.token, random: seeded(seed + index), door, lastId: () => lastId }),
    ),
  )
  const trading = Promise.all([0, 1, 2, 3].map((worker) => keepTrading(ada, worker, () => over)))
  const halting = keepHalting(ada, grace, () => over)
  const random = seeded(seed + 99)
  for (let count = 0; count < kills; count += 1) {
    await Promise.race([sleep(8_000 + random() * 8_000), reading])
    await kill()
    await open(folder.path)
  }
  await Promise.race([sleep(8_000), reading])
  over = true
  const trades = (await trading).reduce((sum, done) => sum + done, 0)
  const halts = await halting
  await until(() => store.unsettled(ada.wallet) === 0, 'every trade to be final', 120_000)
  lastId = await endWithHalt(clients!, ada.token)
  const readings = await reading

  const truth = await readWhole(clients!.rest, ada.token, lastId)
  const tallies = readings.map(({ seen }) => compareWith(truth, seen))
  const sum = (key: keyof Tally) => tallies.reduce((total, tally) => total + tally[key], 0)
  const count = (key: 'cuts' | 'broken') => readings.reduce((total, read: Reading) => total + read[key], 0)
  const tally = { lost: sum('lost'), doubled: sum('doubled'), wrong: sum('wrong') }
  const did = { kills, trades, halts, events: truth.length, readers, cuts: count('cuts'), broken: count('broken') }
  figures('cut account streams', { seed, ...did, ...tally, explained: sum('explained') })
  expect(tally).toEqual({ lost: 0, doubled: 0, wrong: 0 })
  expect(did.cuts).toBeGreaterThanOrEqual(500)
  expect(did.broken).toBeGreaterThan(0)
  expectStored(truth, store, ada.wallet)
  await expectHeld(truth, ada)
}, 600_000)
