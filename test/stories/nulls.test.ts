import { afterAll, beforeAll, expect, test } from 'vitest'
import { rpc } from '../clients/rpc-call.ts'
import { openRpcSocket } from '../clients/rpc-socket.ts'
import { sharedWorld, type World } from '../world.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})
afterAll(async () => await world[Symbol.asyncDispose]())

const from = `0x${'a1'.repeat(20)}`
const to = `0x${'b0'.repeat(20)}`
const topic = `0x${'12'.repeat(32)}`

test('the node takes null as absent, in every parameter that it describes', async () => {
  const results = {
    // The body that MetaMask sends.
    eth_estimateGas: [{ from, to, value: '0x0', data: null, gas: null }, null],
    eth_call: [{ from, to, accessList: null }, 'latest', { [to]: { code: '0x', balance: null } }, { number: null }],
    eth_getLogs: [{ fromBlock: 'latest', toBlock: null, address: null, topics: [[topic, null], null] }],
    eth_createAccessList: [
      { from, to, input: null, maxFeePerGas: null },
      { blockHash: null, blockNumber: 'latest' },
    ],
    eth_newFilter: [{ fromBlock: null, topics: [null] }],
    debug_traceCall: [{ from, to, data: null }, 'latest', { tracer: 'callTracer', tracerConfig: null, timeout: null }],
    eth_simulateV1: [
      { blockStateCalls: [{ blockOverrides: null, stateOverrides: null, calls: [{ to, data: null }] }] },
    ],
    eth_feeHistory: ['0x1', 'latest', null],
  }
  const socket = await openRpcSocket(world.urls.rpc)
  for (const [method, params] of Object.entries(results)) {
    expect([method, await rpc(world.urls.rpc, method, ...params)]).toEqual([
      method,
      expect.objectContaining({ result: expect.anything() }),
    ])
    expect([method, await socket.ask(method, params)]).toEqual([
      method,
      expect.objectContaining({ result: expect.anything() }),
    ])
  }
  const named = { filter: { address: null, topics: null }, type: 'logs' }
  for (const params of [
    ['newHeads', null],
    ['logs', { address: null, topics: [null, [null]] }],
    ['newPendingTransactions', null],
    named,
  ]) {
    const { result } = await socket.ask('eth_subscribe', params)
    expect(result).toMatch(/^0x/)
    expect(await socket.ask('eth_unsubscribe', [result, null])).toMatchObject({ result: true })
  }
  socket.socket.close()
  for (const params of [[{ address: [to, null] }], [{ topics: [topic, null, null, null, null] }], [null]])
    expect(await rpc(world.urls.rpc, 'eth_getLogs', ...params)).toMatchObject({ error: { code: -32602 } })
})

test('a topic list with null matches what any topic matches', async () => {
  const head = (await rpc(world.urls.rpc, 'eth_blockNumber')).result
  const range = { fromBlock: '0x0', toBlock: head }
  const logs = async (topics: unknown[]) => (await rpc(world.urls.rpc, 'eth_getLogs', { ...range, topics })).result
  const all = await logs([])
  expect(all.length).toBeGreaterThan(0)
  expect(await logs([[topic, null]])).toEqual(all)
  expect(await logs([[topic]])).toEqual([])
  expect(await logs([null, [null, topic]])).toEqual(all.filter((log: { topics: string[] }) => log.topics.length > 1))
})

test('other protocols refuse null where the contract has none, and say what to do', async () => {
  const refusals = [
    ['rest', 'chain.claimFaucet', { address: to, captcha: null }, /cannot be null; leave the field out$/],
    ['trpc', 'chain.claimFaucet', { address: null }, /^must be .*, and is null$/],
    ['trpc', 'chain.getLogs', { filter: { address: null } }, /^cannot be null; leave the field out$/],
    ['trpc', 'chain.getLogs', { filter: { topics: null } }, /^cannot be null; leave the field out$/],
    ['trpc', 'chain.call', { transaction: null }, /^must be an object, and is null$/],
  ] as const
  for (const [protocol, id, input, message] of refusals)
    expect([id, await world.clients[protocol].call(id, input as never)]).toEqual([
      id,
      expect.objectContaining({
        code: 'INVALID_ARGUMENT',
        violations: [expect.objectContaining({ message: expect.stringMatching(message) })],
      }),
    ])
})
