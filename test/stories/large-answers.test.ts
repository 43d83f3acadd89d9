import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventsOf, output, refusalOf } from '../clients/client.ts'
import { sharedWorld, type World } from '../world.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})
afterAll(async () => await world[Symbol.asyncDispose]())

const key = 'x-max-message-bytes'
const taking = (bytes: number | string) => ({ headers: { [key]: `${bytes}` } })
/** The deployment of the embedded chain: a few hundred logs. */
const filter = { fromBlock: '0x0', toBlock: '0x5' }
type Log = { blockNumber: string; logIndex: string }

test('an answer over the limit of its caller is refused with the size that it needs, and sent once that is taken', async () => {
  const { grpc, trpc } = world.clients
  const logs = await output(trpc.call('chain.getLogs', { filter }))
  const refused = await grpc.call('chain.getLogs', { filter }, undefined, taking(2_000))
  expect(refused).toMatchObject({
    ok: false,
    status: 8,
    code: 'PAYLOAD_TOO_LARGE',
    message: expect.stringMatching(/max_receive_message_length.*x-max-message-bytes.*StreamLogs/),
    metadata: { limit_bytes: '2000', needed_bytes: expect.stringMatching(/^\d+$/) },
  })
  const needed = Number(refused.ok ? 0 : refused.metadata?.needed_bytes)
  expect(needed).toBeGreaterThan(2_000)
  expect(await output(grpc.call('chain.getLogs', { filter }, undefined, taking(needed)))).toEqual(logs)
  expect(await output(grpc.call('chain.getLogs', { filter }))).toEqual(logs)
  expect(await grpc.call('chain.getLogs', { filter }, undefined, taking(needed - 1))).toMatchObject({ ok: false })
})

test('blocks, receipts and traces are refused alike, and a small answer is not', async () => {
  const { grpc } = world.clients
  const block = '0x1'
  const asked: [Parameters<typeof grpc.call>[0], object][] = [
    ['chain.getBlockByNumber', { block, fullTransactions: true }],
    ['chain.getBlockReceipts', { block }],
    ['chain.debugTraceBlockByNumber', { block, options: { tracer: 'callTracer' } }],
  ]
  for (const [id, input] of asked) {
    const refused = await grpc.call(id, input, undefined, taking(100))
    expect([id, refused]).toMatchObject([id, { code: 'PAYLOAD_TOO_LARGE', metadata: { limit_bytes: '100' } }])
  }
  expect(await output(grpc.call('chain.chainId', {}, undefined, taking(100)))).toBe('0x14a34')
})

test('the size that a caller takes is checked', async () => {
  const { grpc } = world.clients
  for (const wrong of ['0', 'much', '268435457']) {
    const violations = [{ path: key, message: expect.stringContaining('from 1 to 268435456') }]
    const call = await grpc.call('chain.chainId', {}, undefined, taking(wrong))
    expect(call).toMatchObject({ ok: false, code: 'INVALID_ARGUMENT', status: 3, violations })
    const stream = grpc.stream('chain.streamLogs', { filter }, undefined, undefined, taking(wrong))
    expect(await refusalOf(stream)).toMatchObject({ code: 'INVALID_ARGUMENT', violations })
  }
})

test('a stream has the logs of a query in messages of whole blocks, over gRPC and tRPC', async () => {
  const { grpc, trpc } = world.clients
  for (const asked of [filter, { ...filter, fromBlock: '0x3' }, { fromBlock: 'earliest', toBlock: 'safe' }]) {
    const logs: Log[] = await output(grpc.call('chain.getLogs', { filter: asked }, undefined, taking(60_000_000)))
    for (const client of [grpc, trpc]) {
      const messages: { logs: Log[] }[] = await eventsOf(client.stream('chain.streamLogs', { filter: asked }))
      const streamed = messages.flatMap((message) => message.logs)
      // The safe block may have moved on between the two.
      expect(streamed.slice(0, logs.length)).toEqual(logs)
      const blocks = messages.flatMap((message) => [...new Set(message.logs.map(({ blockNumber }) => blockNumber))])
      expect(new Set(blocks).size).toBe(blocks.length)
    }
  }
  const hash = (await output(grpc.call('chain.getBlockByNumber', { block: '0x2', fullTransactions: false }))).hash
  const ofBlock = { filter: { blockHash: hash } }
  const logs = await output(trpc.call('chain.getLogs', ofBlock))
  expect((await eventsOf(grpc.stream('chain.streamLogs', ofBlock))).flatMap((message) => message.logs)).toEqual(logs)
})

test('a stream that cannot be is refused before its first message, and one whose block is too large with its size', async () => {
  const { grpc, trpc } = world.clients
  for (const client of [grpc, trpc]) {
    const refusal = (asked: object) => refusalOf(client.stream('chain.streamLogs', { filter: asked }))
    expect(await refusal({ fromBlock: '0x0', toBlock: '0xfffffff' })).toMatchObject({
      code: 'INVALID_ARGUMENT',
      violations: [{ path: 'filter.toBlock' }],
    })
    expect(await refusal({ blockHash: `0x${'11'.repeat(32)}` })).toMatchObject({ code: 'NOT_FOUND' })
    expect(await refusal({ fromBlock: '0x2', toBlock: '0x1' })).toMatchObject({ code: 'INVALID_ARGUMENT' })
  }
  const stream = grpc.stream('chain.streamLogs', { filter }, undefined, undefined, taking(500))
  expect(await refusalOf(stream)).toMatchObject({
    code: 'PAYLOAD_TOO_LARGE',
    status: 8,
    metadata: { limit_bytes: '500', needed_bytes: expect.stringMatching(/^\d+$/) },
  })
})
