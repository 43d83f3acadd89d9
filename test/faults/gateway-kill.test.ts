import { setTimeout as sleep } from 'node:timers/promises'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { addresses } from '../../src/sandbox/deploy/addresses.ts'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { openRpcSocket } from '../clients/rpc-socket.ts'
import { dataFolder, figures, type Gateway, rpc, seeded, startGateway } from './gateway.ts'
import { type Load, newSender, startLoad } from './load.ts'
import { hex } from './tally.ts'

const kills = 4
const random = seeded(11)

/** What callers were told before a kill: the hash of each block, and the block of each transaction. */
type Told = { blocks: Map<number, string>; places: Map<string, string> }

test('kill -9 of the gateway under load: nothing that was told is unsaid on the same data folder', async () => {
  using folder = dataFolder()
  const told: Told = { blocks: new Map(), places: new Map() }
  const acknowledged: string[] = []
  const loads: Load[] = []
  const readyMs: number[] = []
  const blockMs: number[] = []
  let sender = privateKeyToAccount(generatePrivateKey())
  for (let life = 0; life < kills; life += 1) {
    const gateway = await startGateway(folder.path)
    if (life === 0) sender = await newSender(gateway.urls.http)
    else readyMs.push(gateway.readyMs)
    const begun = performance.now()
    const listening = await listen(gateway, told)
    const load = startLoad({ ...gateway.urls, sender, to: addresses.weth, data: '0xd0e30db0', chainId: 84_532 })
    loads.push(load)
    const noting = notePlaces(gateway, load, told)
    await until(() => listening.heads > 0, 'a block', 15_000)
    if (life > 0) blockMs.push(Math.round(performance.now() - begun))
    await sleep(3_000 + random() * 4_000)
    await Promise.all([gateway.kill(), load.stop(), noting])
    acknowledged.push(...load.acknowledged, ...load.trades)
  }

  await using gateway = await startGateway(folder.path)
  readyMs.push(gateway.readyMs)
  const ask = async (method: string, ...params: unknown[]) => (await rpc(gateway.urls.rpc, method, ...params)).result
  const missing = async () => {
    const receipts = await Promise.all(acknowledged.map((hash) => ask('eth_getTransactionReceipt', hash)))
    return receipts.filter((receipt) => receipt?.status !== '0x1').length
  }
  await until(async () => (await missing()) === 0, 'every acknowledged transaction', 20_000).catch(() => undefined)
  const lost = await missing()
  let moved = 0
  for (const [hash, block] of told.places)
    if ((await ask('eth_getTransactionReceipt', hash))?.blockHash !== block) moved += 1
  let changed = 0
  for (const [number, hash] of told.blocks)
    if ((await ask('eth_getBlockByNumber', hex(number), false))?.hash !== hash) changed += 1
  figures('kill -9 of the gateway', {
    kills,
    ready_ms: readyMs,
    next_block_ms: blockMs,
    acknowledged: acknowledged.length,
    lost,
    blocks_told: told.blocks.size,
    blocks_changed: changed,
    receipts_told: told.places.size,
    receipts_moved: moved,
  })
  expect({ lost, moved, changed }).toEqual({ lost: 0, moved: 0, changed: 0 })
  expect(acknowledged.length).toBeGreaterThan(50)
  expect(told.places.size).toBeGreaterThan(50)
  expect(told.blocks.size).toBeGreaterThan(5)
  expect(loads.flatMap(({ odd }) => odd)).toEqual([])
}, 180_000)

/** Notes every head that a WebSocket tells until the gateway dies. */
async function listen({ urls }: Gateway, told: Told): Promise<{ heads: number }> {
  const listening = { heads: 0 }
  const { socket, ask } = await openRpcSocket(urls.rpc)
  socket.on('message', (data) => {
    const head = JSON.parse(String(data)).params?.result
    if (head?.parentHash === undefined) return
    listening.heads += 1
    const number = Number(head.number)
    expect([number, told.blocks.get(number) ?? head.hash]).toEqual([number, head.hash])
    told.blocks.set(number, head.hash)
  })
  await ask('eth_subscribe', ['newHeads'])
  return listening
}

/** Notes in which block each transaction is said to be, until the gateway dies. */
async function notePlaces(gateway: Gateway, { acknowledged }: Load, told: Told): Promise<void> {
  while (gateway.running()) {
    for (const hash of acknowledged.filter((one) => !told.places.has(one))) {
      const answer = await rpc(gateway.urls.rpc, 'eth_getTransactionReceipt', hash).catch(() => null)
      if (answer === null) return
      if (answer.result != null) told.places.set(hash, answer.result.blockHash)
    }
    await sleep(20)
  }
}
