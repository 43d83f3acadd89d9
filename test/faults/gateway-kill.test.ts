import { setTimeout as sleep } from 'node:timers/promises'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { addresses } from '../../src/sandbox/deploy/addresses.ts'
import { parentAccount, until } from '../../src/sandbox/fixtures/testing.ts'
import { parentAddresses, parentChainId } from '../../src/sandbox/rollup/parameters.ts'
import { rpc } from '../clients/rpc-call.ts'
import { openRpcSocket } from '../clients/rpc-socket.ts'
import { dataFolder } from '../data-folder.ts'
import { countLost, type Load, newSender, startLoad } from '../drivers/load.ts'
import { hex } from '../drivers/tally.ts'
import { type Gateway, startGateway, type Urls } from '../gateway-process.ts'
import { seeded } from '../seeded.ts'
import { figures } from './figures.ts'

const kills = 4
const random = seeded(11)

/** One of the two chains: what callers received before a kill, and which transactions were acknowledged. */
type Side = {
  urlOf(urls: Urls): string
  load(urls: Urls): Load
  loads: Load[]
  /** The hash of each block by its number, and of the block of each transaction. */
  blocks: Map<number, string>
  places: Map<string, string>
}

const sideOf = (parts: Pick<Side, 'urlOf' | 'load'>): Side => ({
  ...parts,
  loads: [],
  blocks: new Map(),
  places: new Map(),
})

test('kill -9 of the gateway under load: nothing that it reported changes after a restart on the same data folder', async () => {
  using folder = dataFolder()
  const readyMs: number[] = []
  const blockMs: number[] = []
  let sender = privateKeyToAccount(generatePrivateKey())
  const weth = { to: addresses.weth, data: '0xd0e30db0', chainId: 84_532 } as const
  const portal = { to: parentAddresses.portal, value: 10n ** 16n, chainId: parentChainId, sender: parentAccount }
  const rollup = sideOf({ urlOf: ({ rpc: url }) => url, load: (urls) => startLoad({ ...urls, ...weth, sender }) })
  const parent = sideOf({ urlOf: ({ l1 }) => l1, load: ({ l1 }) => startLoad({ ...portal, rpc: l1 }) })
  const sides = [rollup, parent]
  for (let life = 0; life < kills; life += 1) {
    await using gateway = await startGateway(folder.path)
    if (life === 0) sender = await newSender(gateway.urls.http)
    else readyMs.push(gateway.readyMs)
    const begun = performance.now()
    const working = await Promise.all(sides.map((side) => begin(side, gateway)))
    await until(() => working[0]!.heads() > 0, 'a block', 15_000)
    if (life > 0) blockMs.push(Math.round(performance.now() - begun))
    await sleep(3_000 + random() * 4_000)
    await Promise.all([gateway.kill(), ...working.map(({ stop }) => stop())])
    expect(gateway.complaints()).toBe('')
  }

  await using gateway = await startGateway(folder.path)
  readyMs.push(gateway.readyMs)
  const [onRollup, onParent] = [await unsaid(rollup, gateway), await unsaid(parent, gateway)]
  figures('kill -9 of the gateway', { kills, ready_ms: readyMs, next_block_ms: blockMs, ...onRollup })
  figures('kill -9 of the gateway, parent chain', onParent)
  for (const found of [onRollup, onParent]) {
    expect(found).toMatchObject({ lost: 0, receipts_moved: 0, blocks_changed: 0 })
    expect(found.acknowledged).toBeGreaterThan(20)
    expect(found.receipts_told).toBeGreaterThan(5)
    expect(found.blocks_told).toBeGreaterThan(3)
  }
  expect(sides.flatMap(({ loads }) => loads.flatMap(({ odd }) => odd))).toEqual([])
  for (const readyIn of readyMs) expect(readyIn).toBeLessThan(30_000)
}, 240_000)

/** Puts load on a chain and records what callers receive, until the gateway dies. */
async function begin(side: Side, gateway: Gateway) {
  const heads = await listen(side, gateway)
  const load = side.load(gateway.urls)
  side.loads.push(load)
  const noting = notePlaces(side, gateway, load)
  return { heads, stop: async () => void (await Promise.all([load.stop(), noting])) }
}

/** Counts what has changed since callers received it. */
async function unsaid(side: Side, { urls }: Gateway) {
  const ask = async (method: string, ...params: unknown[]) => (await rpc(side.urlOf(urls), method, ...params)).result
  const lost = await countLost(side.urlOf(urls), side.loads)
  let moved = 0
  for (const [hash, block] of side.places)
    if ((await ask('eth_getTransactionReceipt', hash))?.blockHash !== block) moved += 1
  let changed = 0
  for (const [number, hash] of side.blocks)
    if ((await ask('eth_getBlockByNumber', hex(number), false))?.hash !== hash) changed += 1
  return {
    acknowledged: side.loads.flatMap(({ acknowledged, trades }) => [...acknowledged, ...trades]).length,
    lost,
    blocks_told: side.blocks.size,
    blocks_changed: changed,
    receipts_told: side.places.size,
    receipts_moved: moved,
  }
}

/** Records the newest block and every later head of a WebSocket; the result returns how many came. */
async function listen(side: Side, { urls }: Gateway): Promise<() => number> {
  let heads = 0
  const note = ({ number, hash }: { number: string; hash: string }) => {
    const before = side.blocks.get(Number(number))
    if (before !== undefined && before !== hash) throw new Error(`block ${Number(number)} was ${before}, is ${hash}`)
    side.blocks.set(Number(number), hash)
  }
  const { socket, ask } = await openRpcSocket(side.urlOf(urls))
  socket.on('message', (data) => {
    const head = JSON.parse(String(data)).params?.result
    if (head?.parentHash === undefined) return
    heads += 1
    note(head)
  })
  note((await ask('eth_getBlockByNumber', ['latest', false])).result)
  await ask('eth_subscribe', ['newHeads'])
  return () => heads
}

/** Records the block of each transaction by its receipt, until the gateway dies. */
async function notePlaces({ urlOf, places }: Side, gateway: Gateway, { acknowledged }: Load): Promise<void> {
  while (gateway.running()) {
    for (const hash of acknowledged.filter((one) => !places.has(one))) {
      const answer = await rpc(urlOf(gateway.urls), 'eth_getTransactionReceipt', hash).catch(() => null)
      if (answer === null) return
      if (answer.result != null) places.set(hash, answer.result.blockHash)
    }
    await sleep(20)
  }
}
