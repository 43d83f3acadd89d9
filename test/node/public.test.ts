import { afterAll, beforeAll, expect, test } from 'vitest'
import { chain } from '../../src/contract/chain/chain.ts'
import { logsOf } from '../../src/domain/node/subscribe.ts'
import type { ChainNode, HeadChange, NodeObject } from '../../src/domain/ports/node.ts'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { type Anvil, startAnvil } from './anvil.ts'
import { openWorld } from './public-world.ts'

let anvil: Anvil
let account: string
beforeAll(async () => {
  anvil = await startAnvil()
  ;[account] = await anvil.call('eth_accounts')
  await anvil.mine(3)
})
afterAll(async () => await anvil[Symbol.asyncDispose]())

/** A contract that writes one log at every call. */
async function loggingContract(): Promise<string> {
  const hash = await anvil.call('eth_sendTransaction', {
    from: account,
    data: '0x6006600c60003960066000f360006000a000',
  })
  await anvil.mine()
  return (await anvil.call('eth_getTransactionReceipt', hash)).contractAddress
}

/** Applies changes to a reader's view of the chain, and collects the reported logs. */
function follow(node: ChainNode, start: string[]) {
  const leaving = new AbortController()
  const believed = [...start]
  const logs: { removed: unknown; blockHash: unknown }[] = []
  const faults: string[] = []
  const apply = async (change: HeadChange) => {
    for (const block of change.removed) if (believed.pop() !== block.hash) faults.push(`${block.hash} was not the last`)
    for (const block of change.added) {
      if (block.header.parentHash !== believed.at(-1)) faults.push(`${block.hash} does not follow`)
      believed.push(block.hash)
    }
    for (const { removed, blockHash } of await logsOf(change, {})) logs.push({ removed, blockHash })
  }
  const done = (async () => {
    for await (const change of node.changes(leaving.signal)) await apply(change)
  })()
  return {
    believed,
    logs,
    faults,
    async stop() {
      leaving.abort()
      await done
    },
  }
}

const chainOf = async (from: number): Promise<string[]> => {
  const hashes: string[] = []
  for (let number = from; ; number += 1) {
    const block: NodeObject | null = await anvil.call('eth_getBlockByNumber', `0x${number.toString(16)}`, false)
    if (block === null) return hashes
    hashes.push(String(block.hash))
  }
}

test.each([
  ['polled', false],
  ['reported by WebSocket', true],
])('a reorganisation of heads that are %s removes the logs, and nothing is missed or reported twice', async (_, ws) => {
  await using world = await openWorld(anvil, 1, { ws, pollMs: ws ? 60_000 : 50 })
  const contract = await loggingContract()
  await until(async () => (await world.ask('eth_blockNumber')) === (await anvil.call('eth_blockNumber')), 'the head')
  const start = Number(await anvil.call('eth_blockNumber'))
  const reader = follow(world.node, await chainOf(start))
  for (let round = 0; round < 3; round += 1) {
    await anvil.call('eth_sendTransaction', { from: account, to: contract, gas: '0x186a0' })
    await anvil.mine()
  }
  await until(() => reader.logs.length === 3, 'three logs')
  const received = reader.logs.map(({ blockHash }) => blockHash)
  await anvil.call('anvil_reorg', { depth: 2, tx_block_pairs: [] }).catch(() => anvil.call('anvil_reorg', 2, []))
  await anvil.mine()
  await until(async () => JSON.stringify(reader.believed) === JSON.stringify(await chainOf(start)), 'the new chain')
  expect(reader.faults).toEqual([])
  await until(() => reader.logs.filter(({ removed }) => removed === true).length === 2, 'removed logs')
  expect(reader.logs.slice(3, 5)).toEqual([
    { removed: true, blockHash: received[2] },
    { removed: true, blockHash: received[1] },
  ])
  await reader.stop()
})

test('blocks missed during a kill -9 of the node are reported, and the node is used again', async () => {
  await using world = await openWorld(anvil, 1, { ws: true, pollMs: 200 })
  const start = Number(await world.ask('eth_blockNumber'))
  const reader = follow(world.node, await chainOf(start))
  await anvil.mine(2)
  const saved = await anvil.call('anvil_dumpState')
  await anvil.kill()
  // Until the lost connection is noticed, the known head is used.
  const failure = async () => await world.ask('eth_blockNumber').catch(({ code }) => code)
  await until(async () => (await failure()) === 'UNAVAILABLE', 'the silence of the node')
  await expect(world.ask('eth_getBalance', account, 'latest')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  await anvil.restart(saved)
  await anvil.mine(5)
  await until(async () => JSON.stringify(reader.believed) === JSON.stringify(await chainOf(start)), 'the whole chain')
  expect(reader.faults).toEqual([])
  await until(async () => (await world.ask('eth_blockNumber').catch(() => '')) !== '', 'an answer')
  await anvil.mine()
  await until(async () => reader.believed.length === (await chainOf(start)).length, 'one more')
  await reader.stop()
})

test('with a subscription the head needs no call', async () => {
  await using world = await openWorld(anvil, 1, { ws: true, pollMs: 60_000 })
  const [door] = world.doors
  const hinted = async () => {
    const before = door!.methods.length
    await world.ask('eth_blockNumber')
    return door!.methods.length === before
  }
  await until(hinted, 'the subscription')
  for (let round = 0; round < 3; round += 1) {
    await anvil.mine()
    await until(async () => (await world.ask('eth_blockNumber')) === (await anvil.call('eth_blockNumber')), 'the block')
  }
  const before = door!.methods.length
  const latest = await world.ask('eth_getBlockByNumber', 'latest', false)
  expect(chain.getBlockByNumber.output.parse(latest)?.number).toBe(await world.ask('eth_blockNumber'))
  expect(door!.methods.slice(before)).toEqual([])
})

test('without a subscription the head is polled, so that it is never old', async () => {
  await using world = await openWorld(anvil, 1, { pollMs: 60_000 })
  for (let round = 0; round < 5; round += 1) {
    await anvil.mine()
    expect(await world.ask('eth_blockNumber')).toBe(await anvil.call('eth_blockNumber'))
    const latest = (await world.ask('eth_getBlockByNumber', 'latest', false)) as NodeObject
    expect(latest.number).toBe(await anvil.call('eth_blockNumber'))
  }
})

test('pending transactions are reported where there is a subscription', async () => {
  await using world = await openWorld(anvil, 1, { ws: true })
  const leaving = new AbortController()
  const received: string[] = []
  const reading = (async () => {
    for await (const hash of world.node.pending(leaving.signal)) received.push(hash)
  })()
  const sent: string[] = []
  await until(async () => {
    sent.push(await anvil.call('eth_sendTransaction', { from: account, to: account, value: '0x1', gas: '0x5208' }))
    return received.length > 0
  }, 'a hash')
  expect(sent).toEqual(expect.arrayContaining(received))
  leaving.abort()
  await reading
  await anvil.mine()
})
