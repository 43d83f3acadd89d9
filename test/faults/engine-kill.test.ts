import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { addresses } from '../../src/sandbox/deploy/addresses.ts'
import { parentAccount, until } from '../../src/sandbox/fixtures/testing.ts'
import { parentAddresses, parentChainId } from '../../src/sandbox/rollup/parameters.ts'
import { dataFolder } from '../data-folder.ts'
import { compareReceived, type Place } from '../drivers/compare-received.ts'
import { killEngineAndWait } from '../drivers/engine-recovery.ts'
import { countLost, type Load, newSender, startLoad } from '../drivers/load.ts'
import { type Crowd, subscribeAll } from '../drivers/subscribers.ts'
import { type Gateway, startGateway } from '../gateway-process.ts'
import { seeded } from '../seeded.ts'
import { figures } from './figures.ts'

const subscribersEach = 50
/** Generous, because the machine may be busy; the figure is printed. */
const readyBoundMs = 30_000

const random = seeded(7)
const order = ['chain', 'chain/parent', 'chain', 'chain', 'chain/parent', 'chain', 'chain/parent', 'chain'] as const

test('kill -9 of the engines under load: every subscriber on every protocol receives every head and log once', async () => {
  using folder = dataFolder()
  await using gateway = await startGateway(folder.path)
  const { urls } = gateway
  const weth = { to: addresses.weth, data: '0xd0e30db0', chainId: 84_532 } as const
  const load = startLoad({ ...urls, ...weth, sender: await newSender(urls.http) })
  const portal = { to: parentAddresses.portal, chainId: parentChainId, value: 10n ** 16n }
  const parentLoad = startLoad({ rpc: urls.l1, sender: parentAccount, ...portal })
  await using crowd = await subscribeAll(urls, subscribersEach)
  await using parentCrowd = await subscribeAll({ ...urls, rpc: urls.l1 }, subscribersEach, ['ws'])
  const everybody = [...crowd.all, ...parentCrowd.all]
  await until(
    () => everybody.every(({ heads, logs }) => heads.length > 0 && logs.length > 0),
    'a head and a log for each',
    30_000,
  )

  const kills = { chain: [] as Recovery[], 'chain/parent': [] as Recovery[] }
  for (const chain of order) {
    await sleep(1_000 + random() * 3_000)
    const side = chain === 'chain' ? { url: urls.rpc, crowd } : { url: urls.l1, crowd: parentCrowd }
    kills[chain].push(await recoveryOf(gateway, [folder.path, chain], side.url, side.crowd))
  }
  await sleep(2_000)
  await Promise.all([load.stop(), parentLoad.stop()])

  const parent = await compared(urls.l1, [folder.path, 'chain/parent'], parentCrowd, parentLoad)
  const tallies = await compared(urls.rpc, [folder.path, 'chain'], crowd, load)
  figures('kill -9 of the L2 engine', { ...seen(kills.chain), ...tallies, ...loadFigures(load) })
  figures('kill -9 of the L1 engine', { ...seen(kills['chain/parent']), ...parent, ...loadFigures(parentLoad) })
  expect({ ...tallies, heads: 0, logs: 0 }).toEqual(nothingLost)
  expect({ ...parent, heads: 0, logs: 0 }).toEqual(nothingLost)
  expect([...load.odd, ...parentLoad.odd]).toEqual([])
  expect(gateway.complaints()).toBe('')
  expect(load.acknowledged.length).toBeGreaterThan(20)
  for (const { readyMs, blockMs } of Object.values(kills).flat())
    expect(Math.max(readyMs, blockMs)).toBeLessThan(readyBoundMs)
}, 300_000)

const nothingLost = { missed: 0, doubled: 0, wrong: 0, ended: 0, heads: 0, logs: 0, unproven: [], lost: 0 }

type Recovery = { readyMs: number; blockMs: number }

/** Kills the engine of a folder, and measures the time until the new one responds, and until the next head. */
async function recoveryOf(gateway: Gateway, place: Place, url: string, { all }: Crowd): Promise<Recovery> {
  const heads = all.map((one) => one.heads.length)
  const killed = performance.now()
  const since = () => Math.round(performance.now() - killed)
  const ready = killEngineAndWait(...place, url, readyBoundMs).then(since)
  const block = until(() => all.every((one, index) => one.heads.length > heads[index]!), 'a head', readyBoundMs).then(
    since,
  )
  const [readyMs, blockMs] = await Promise.all([ready, block])
  expect(gateway.running()).toBe(true)
  expect((await fetch(`${gateway.urls.http}/health/ready`)).status).toBe(200)
  return { readyMs, blockMs }
}

/** What the subscribers received compared with the chain, and how many acknowledged transactions are in no block. */
async function compared(url: string, place: Place, crowd: Crowd, load: Load) {
  const lost = await countLost(url, [load])
  return { ...(await compareReceived(url, place, crowd)), lost }
}

function seen(kills: readonly Recovery[]) {
  return {
    kills: kills.length,
    ready_ms: kills.map(({ readyMs }) => readyMs),
    next_block_ms: kills.map(({ blockMs }) => blockMs),
  }
}

function loadFigures({ acknowledged, trades, reads, refused, unanswered }: Load) {
  return { acknowledged: acknowledged.length, trades: trades.length, reads, refused, unanswered }
}
