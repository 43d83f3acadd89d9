import { expect, test } from 'vitest'
import { logsOf } from '../../src/domain/node/subscribe.ts'
import type { NodeObject } from '../../src/domain/ports/node.ts'
import { send, treasury, until, user } from '../../src/sandbox/fixtures/testing.ts'
import { openEmbeddedNode } from './embedded-node.ts'

const never = new AbortController().signal

test('fifty readers miss no block and no log and get none twice, though the engine is killed under them', async () => {
  await using embedded = await openEmbeddedNode()
  const { world, node } = embedded
  const leaving = new AbortController()
  const start = (await node.head()).number
  const received = Array.from({ length: 50 }, () => ({ blocks: [] as string[], logs: [] as string[] }))
  const reading = received.map(async ({ blocks, logs }) => {
    for await (const change of node.changes(leaving.signal)) {
      expect(change.removed).toEqual([])
      blocks.push(...change.added.map(({ hash }) => hash))
      logs.push(...(await logsOf(change, {})).map(({ blockHash, logIndex }) => `${blockHash} ${logIndex}`))
    }
  })
  const { address: to, encode } = world.funder
  let sending = true
  const sender = (async () => {
    while (sending) {
      await send(world, treasury, { to, ...encode(user.address) }).catch(() => undefined)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  })()
  for (let kill = 0; kill < 2; kill += 1) {
    const before = (await node.head()).number
    const engine = world.events.findLast((event) => event.type === 'engine-started' && event.chain === 'rollup')
    process.kill((engine as { pid: number }).pid, 'SIGKILL')
    await until(async () => ((await node.head().catch(() => null))?.number ?? 0n) >= before + 2n, 'two more blocks')
  }
  sending = false
  await sender
  world.sequencer.stop()
  const head = await node.head()
  await until(() => received.every(({ blocks }) => blocks.at(-1) === head.hash), 'every reader')
  const range = { fromBlock: `0x${(start + 1n).toString(16)}`, toBlock: head.header.number }
  const logs = (await node.request('eth_getLogs', [range], never)) as NodeObject[]
  const expected = logs.map(({ blockHash, logIndex }) => `${blockHash} ${logIndex}`)
  expect(expected.length).toBeGreaterThan(0)
  await until(() => received.every((each) => each.logs.length >= expected.length), 'every log')
  leaving.abort()
  await Promise.all(reading)
  expect(received[0]?.blocks).toHaveLength(Number(head.number - start))
  for (const reader of received) expect(reader).toEqual({ blocks: received[0]?.blocks, logs: expected })
})
