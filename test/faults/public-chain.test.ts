import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { rpc } from '../clients/rpc-call.ts'
import { dataFolder } from '../data-folder.ts'
import { type Belief, beliefOf } from '../drivers/believed.ts'
import { type PublicGateway, startPublic } from '../drivers/public-gateway.ts'
import { type Crowd, subscribeAll } from '../drivers/subscribers.ts'
import { truthOf } from '../drivers/tally.ts'
import { type Door, openDoor } from '../node/anvil.ts'
import { seeded } from '../seeded.ts'
import { figures } from './figures.ts'

const subscribersEach = 50
const random = seeded(3)
const faultless = { missed: 0, wrong: 0, doubled: 0, unfounded: 0, ended: 0 }

/**
 * Sends logs and mines until every subscriber has received a head and a log, so that all count from there; returns the
 * next block.
 */
async function begin(world: PublicGateway, { all }: Crowd): Promise<number> {
  await until(
    async () => {
      await block(world)
      await sleep(100)
      return all.every(({ heads, logs }) => heads.length > 0 && logs.length > 0)
    },
    'every subscriber',
    30_000,
  )
  const first = Math.max(...all.flatMap(({ heads, logs }) => [heads[0]?.number, logs[0]?.blockNumber].map(Number)))
  await block(world)
  return first + 1
}

/** A block with one or two logs. */
async function block({ anvil, log }: PublicGateway): Promise<void> {
  await log()
  if (random() < 0.5) await log(32)
  await anvil.mine()
}

/** Waits until the subscribers agree with the chain, and returns what they received. */
async function settled(world: PublicGateway, crowd: Crowd, first: number): Promise<Belief> {
  let belief = beliefOf(crowd.all, await truthOf(world.anvil.call, first))
  await until(
    async () => {
      belief = beliefOf(crowd.all, await truthOf(world.anvil.call, first))
      return belief.missed === 0 && belief.wrong === 0
    },
    'all to believe the chain',
    20_000,
  ).catch(() => undefined)
  return belief
}

test('reorganisations under fifty subscribers a protocol: what is taken back comes as removed, what is new once', async () => {
  await using world = await startPublic()
  await using crowd = await subscribeAll(world.gateway.urls, subscribersEach)
  const first = await begin(world, crowd)
  const depths = [1, 3, 7, 2]
  let taken = 0
  for (const depth of depths) {
    for (let count = 0; count < depth + 2; count += 1) await block(world)
    await settled(world, crowd, first)
    const head = Number(await world.anvil.call('eth_blockNumber'))
    const lost = await truthOf(world.anvil.call, head - depth + 1)
    taken += lost.logs.length
    await world.anvil.call('anvil_reorg', depth, [])
    await block(world)
  }
  const belief = await settled(world, crowd, first)
  figures('reorganisations', {
    depths,
    subscribers: crowd.all.length,
    ...belief,
    expected_removed: taken * crowd.all.length,
  })
  expect(belief).toEqual({ ...faultless, removed: taken * crowd.all.length })
  expect(world.gateway.complaints()).toBe('')
}, 120_000)

test('kill -9 of a node that comes back with an older state: what it forgot is taken back, and the rest goes on', async () => {
  using folder = dataFolder()
  const flags = ['--state', join(folder.path, 'state.json'), '--state-interval', '1', '--preserve-historical-states']
  await using world = await startPublic({ flags })
  await using crowd = await subscribeAll(world.gateway.urls, subscribersEach)
  const first = await begin(world, crowd)
  const readyMs: number[] = []
  const forgotten: number[] = []
  for (let kill = 0; kill < 3; kill += 1) {
    await sleep(1_500)
    for (let count = 0; count < 3; count += 1) await block(world)
    await settled(world, crowd, first)
    const before = Number(await world.anvil.call('eth_blockNumber'))
    await world.anvil.kill()
    await sleep(random() * 1_000)
    await world.anvil.restart()
    const back = performance.now()
    forgotten.push(before - Number(await world.anvil.call('eth_blockNumber')))
    const { rpc: url } = world.gateway.urls
    await until(
      async () => (await rpc(url, 'eth_getBalance', world.logger, 'latest')).result !== undefined,
      'an answer',
      30_000,
    )
    readyMs.push(Math.round(performance.now() - back))
    for (let count = 0; count < 5; count += 1) await block(world)
  }
  const belief = await settled(world, crowd, first)
  figures('kill -9 of the node behind', {
    kills: 3,
    ready_ms: readyMs,
    blocks_forgotten: forgotten,
    subscribers: crowd.all.length,
    ...belief,
  })
  expect(belief).toMatchObject(faultless)
  expect(world.gateway.complaints()).toBe('')
}, 120_000)

test('two nodes fail in turn under load: no call is refused and no event is missed', async () => {
  await using opened = new AsyncDisposableStack()
  const doors: Door[] = []
  const rpcUrls = async (url: string) => {
    for (let count = 0; count < 2; count += 1) doors.push(opened.use(await openDoor(url)))
    return doors.map((door) => door.url).join()
  }
  await using world = await startPublic({ rpcUrls })
  await using crowd = await subscribeAll(world.gateway.urls, subscribersEach)
  const first = await begin(world, crowd)
  const reading = readOn(world)
  const faults: Door['instead'][] = [
    (_, response) => response.destroy(),
    (_, response) => response.writeHead(502).end('bad gateway'),
  ]
  for (let round = 0; round < 4; round += 1) {
    const [away, back] = round % 2 === 0 ? doors : doors.toReversed()
    back!.instead = null
    away!.instead = faults[round >> 1] ?? null
    for (let count = 0; count < 4; count += 1) {
      await block(world)
      await sleep(200)
    }
  }
  const { reads, refused } = await reading.stop()
  const belief = await settled(world, crowd, first)
  figures('two nodes that go away in turn', { rounds: 4, reads, refused: refused.length, ...belief })
  expect(refused).toEqual([])
  expect(belief).toEqual({ ...faultless, removed: 0 })
  expect(world.gateway.complaints()).toBe('')
}, 120_000)

/** Reads uncached values until it is stopped. */
function readOn({ gateway, account, logger }: PublicGateway) {
  let running = true
  const seen = { reads: 0, refused: [] as unknown[] }
  const work = async () => {
    while (running) {
      for (const [method, ...params] of [
        ['eth_getBalance', account, 'latest'],
        ['eth_getLogs', { address: logger }],
        ['eth_getTransactionCount', account, 'pending'],
      ] as const) {
        const { error } = await rpc(gateway.urls.rpc, method, ...params)
        seen.reads += 1
        if (error !== undefined) seen.refused.push(error)
      }
    }
  }
  const working = Promise.all([work(), work()])
  return {
    async stop() {
      running = false
      await working
      return seen
    },
  }
}
