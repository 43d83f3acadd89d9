import { afterAll, beforeAll, expect, test } from 'vitest'
import { rpc as ask, type Reply } from '../clients/rpc-call.ts'
import { sharedWorld, type World } from '../world.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})
afterAll(async () => await world[Symbol.asyncDispose]())

const rpc = (method: string, params: readonly unknown[]): Promise<Reply> => ask(world.urls.rpc, method, ...params)

test('what a call shall assume is checked, and is assumed under the older names too', async () => {
  const [to, word] = [`0x${'6'.repeat(40)}`, (value: string) => `0x${value.padStart(64, '0')}`]
  const answering = (opcode: string) => ({ [to]: { code: `0x${opcode}5f5260205ff3` } })
  const called = async (state: object, assumed: object) => {
    const { result, error } = await rpc('eth_call', [{ to }, 'latest', state, assumed])
    const blocks = [{ stateOverrides: state, blockOverrides: assumed, calls: [{ to }] }]
    const options = { tracer: 'callTracer', stateOverrides: state, blockOverrides: assumed }
    const [simulated, traced] = await Promise.all([
      rpc('eth_simulateV1', [{ blockStateCalls: blocks }, 'latest']),
      rpc('debug_traceCall', [{ to }, 'latest', options]),
    ])
    for (const other of [simulated, traced]) expect(other.error?.code).toBe(error?.code)
    if (error !== undefined) return error.message
    expect([simulated.result[0].calls[0].returnData, traced.result.output]).toEqual([result, result])
    return result
  }
  for (const [opcode, names, value] of [
    ['41', ['coinbase', 'feeRecipient'], `0x${'c'.repeat(40)}`],
    ['44', ['random', 'prevRandao'], '0xab'],
  ] as const)
    for (const name of names) expect(await called(answering(opcode), { [name]: value })).toBe(word(value.slice(2)))
  for (const assumed of [{ baseFee: '0x55' }, { baseFeePerGas: '0x55' }])
    expect((await rpc('eth_call', [{ to }, 'latest', answering('48'), assumed])).result).toBe(word('55'))
  for (const [state, assumed, path] of [
    [{}, { baseFe: '0x1' }, 'blockOverrides.baseFe'],
    [{}, { coinbase: to, feeRecipient: to }, 'blockOverrides.coinbase'],
    [{}, { time: `0x1${'0'.repeat(16)}` }, 'blockOverrides.time'],
    [{ [to]: { balanse: '0x1' } }, {}, `stateOverrides.${to}.balanse`],
    [{ [to]: { nonce: '0x01' } }, {}, `stateOverrides.${to}.nonce`],
    [{ [to]: { state: { '0x1': word('1') } } }, {}, `stateOverrides.${to}.state.0x1`],
    [{ [to]: { state: {}, stateDiff: {} } }, {}, `stateOverrides.${to}.stateDiff`],
    [{ nobody: {} }, {}, 'stateOverrides.nobody'],
  ] as const)
    expect(await called(state, assumed)).toMatch(new RegExp(`^Invalid params: ${path}: `))
})

test('a call that says two things at once, or is for another chain, is refused by its field', async () => {
  const to = `0x${'6'.repeat(40)}`
  const asked = (call: object): [string, unknown[], string][] => [
    ['eth_call', [call, 'latest'], 'transaction'],
    ['eth_estimateGas', [call], 'transaction'],
    ['eth_createAccessList', [call, 'latest'], 'transaction'],
    ['debug_traceCall', [call, 'latest', { tracer: 'callTracer' }], 'transaction'],
    ['eth_simulateV1', [{ blockStateCalls: [{}, { calls: [call] }] }], 'simulation.blockStateCalls.1.calls.0'],
  ]
  for (const [wrong, field] of [
    [{ data: '0x01', input: '0x02' }, 'data'],
    [{ gasPrice: '0x1', maxFeePerGas: '0x1' }, 'gasPrice'],
    [{ gasPrice: '0x1', maxPriorityFeePerGas: '0x0' }, 'gasPrice'],
    [{ maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x2' }, 'maxPriorityFeePerGas'],
    [{ chainId: '0x1' }, 'chainId'],
  ] as const)
    for (const [method, params, at] of asked({ to, ...wrong }))
      expect([method, (await rpc(method, params)).error]).toMatchObject([
        method,
        { code: -32602, message: expect.stringMatching(new RegExp(`^Invalid params: ${at}.${field}: `)) },
      ])
  const { error } = await rpc('debug_traceCall', [{ to }, 'latest', { tracer: 'muxTracer' }])
  const served = 'Invalid params: options.tracer: must be one of callTracer, prestateTracer, 4byteTracer, noopTracer'
  expect(error).toMatchObject({ code: -32602, message: served })
  for (const [method, params] of asked({ to, data: '0xAB', input: '0xab', chainId: '0x14a34' }))
    expect([method, (await rpc(method, params)).error]).toEqual([method, undefined])
})

test('what is looked up and is not there is null, and an error where null cannot be said', async () => {
  const hash = `0x${'7'.repeat(64)}`
  for (const [method, params] of [
    ['eth_getTransactionByHash', [hash]],
    ['eth_getTransactionReceipt', [hash]],
    ['eth_getBlockByHash', [hash, false]],
    ['eth_getBlockReceipts', [hash]],
    ['eth_getBlockReceipts', ['0xffffff']],
    ['eth_getBlockTransactionCountByHash', [hash]],
    ['eth_getBlockTransactionCountByNumber', ['0xffffff']],
    ['eth_getUncleCountByBlockHash', [hash]],
    ['eth_getUncleCountByBlockNumber', ['0xffffff']],
  ] as const)
    expect([method, await rpc(method, params)]).toEqual([method, expect.objectContaining({ result: null })])
  for (const client of [world.clients.trpc, world.clients.grpc])
    expect(await client.call('chain.getBlockReceipts', { block: hash })).toMatchObject({ code: 'NOT_FOUND' })
})
