import { type Hex, keccak256, numberToHex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { simulationErrors } from '../../src/contract/shared/errors.ts'
import { parentAccount } from '../../src/sandbox/fixtures/testing.ts'
import { rpc } from '../clients/rpc-call.ts'
import { sharedWorld, type World } from '../world.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})
afterAll(async () => await world[Symbol.asyncDispose]())

const ask = async (method: string, ...params: unknown[]) => await rpc(world.urls.rpc, method, ...params)
const from = parentAccount.address.toLowerCase()
const word = (value: bigint) => numberToHex(value, { size: 32 })
/** Bytes of code as data of a creation, whose code then runs at once. */
const creating = (code: string, more: object = {}) => ({ from, data: `0x${code}`, ...more })
test.each<[string, object, string, bigint[][], string[]]>([
  // sstore(1, 1), revert
  ['reverts after a write', creating('600160015560006000fd'), 'execution reverted', [[1n]], []],
  // sload(2), sload(5), invalid
  ['stops at an invalid instruction', creating('6002545060055450fe'), 'invalid opcode', [[2n, 5n]], []],
  // balance(0xbeef), revert with data
  ['reverts after reading a balance', creating('61beef315060206000fd'), 'execution reverted', [], ['0xbeef']],
  // sload(3), then a loop without end
  ['runs out of gas', creating('60035450' + '5b600456', { gas: '0x30000' }), 'out of gas', [[3n]], []],
  ['loops until its gas is gone', creating('5b5f56'), 'out of gas', [], []],
  [
    'reads accounts that are warm',
    { ...creating('333150303150600131505f5ffd'), from: parentAccount.address },
    'execution reverted',
    [],
    [],
  ],
  [
    'reads accounts that only look precompiled',
    creating('601231506101ff31505f5ffd'),
    'execution reverted',
    [],
    ['0x12', '0x1ff'],
  ],
  ['lacks an operand', creating('54'), 'stack underflow', [], []],
  [
    'returns code that begins with 0xef',
    creating('60ef60005360016000f3'),
    'invalid code: must not begin with 0xef',
    [],
    [],
  ],
  [
    'reverts, with a list of its own',
    creating('600160015560006000fd', { accessList: [{ address: `0x${'ab'.repeat(20)}`, storageKeys: [word(9n)] }] }),
    'execution reverted',
    [[9n], [1n]],
    [],
  ],
])('the access list of a call that %s has its gas and its error', async (_, call, error, slots, accounts) => {
  const { result } = await ask('eth_createAccessList', call, 'latest')
  expect(result).toMatchObject({ error, gasUsed: expect.stringMatching(/^0x[1-9a-f]/) })
  const own = result.accessList.filter(({ storageKeys }: { storageKeys: Hex[] }) => storageKeys.length > 0)
  expect(own.map(({ storageKeys }: { storageKeys: Hex[] }) => storageKeys)).toEqual(slots.map((keys) => keys.map(word)))
  const others = result.accessList.filter(({ storageKeys }: { storageKeys: Hex[] }) => storageKeys.length === 0)
  expect(others.map(({ address }: { address: Hex }) => `0x${address.replace(/^0x0+/, '')}`)).toEqual(accounts)
  // The gas is that of a run with the list.
  const withList = { ...call, accessList: result.accessList }
  const trace = await ask('debug_traceCall', withList, 'latest', { tracer: 'callTracer' })
  expect(trace).toMatchObject({ result: { gasUsed: result.gasUsed } })
})

test('an access list is refused where the call cannot begin', async () => {
  for (const call of [
    { from: `0x${'d1'.repeat(20)}`, to: from, value: '0x1' },
    { from, to: from, gas: '0x100' },
  ])
    expect(await ask('eth_createAccessList', call, 'latest')).toMatchObject({ error: { code: -32000 } })
  expect((await ask('eth_createAccessList', { from, to: from }, 'latest')).result).not.toHaveProperty('error')
})

test('percentiles rise strictly, and any number of blocks is reduced to 1,024', async () => {
  for (const percentiles of [
    [50, 50],
    [0, 0],
    [10, 20, 20],
    [30, 20],
    [99.5, 99.5, 100],
  ])
    expect(await ask('eth_feeHistory', '0x2', 'latest', percentiles)).toMatchObject({
      error: { code: -32602, message: expect.stringContaining('rewardPercentiles') },
    })
  for (const count of ['0x2', '0x401', '0x10000', `0x${'f'.repeat(64)}`, 2_000_000]) {
    const { result } = await ask('eth_feeHistory', count, 'latest', [0, 0.5, 100])
    expect(result.gasUsedRatio.length).toBeLessThanOrEqual(1_024)
    expect(result.gasUsedRatio.length).toBeGreaterThan(1)
  }
  for (const count of ['0x', '0x01', -1, 1.5, '7'])
    expect(await ask('eth_feeHistory', count, 'latest', [])).toMatchObject({ error: { code: -32602 } })
})

const simulated = async (...blockStateCalls: object[]) => await ask('eth_simulateV1', { blockStateCalls }, 'latest')

test('a simulation that cannot run has the code of execution-apis', async () => {
  const poor = `0x${'d1'.repeat(20)}`
  const call = { from, to: from }
  const head = BigInt((await ask('eth_blockNumber')).result)
  const at = (above: bigint) => ({ blockOverrides: { number: numberToHex(head + above) } })
  const asked: [keyof typeof simulationErrors, object[]][] = [
    ['intrinsic_gas_too_low', [{ calls: [{ ...call, gas: '0x5207' }] }]],
    ['intrinsic_gas_too_low', [{ calls: [call] }, { calls: [call, { ...call, gas: '0x0' }] }]],
    ['insufficient_funds', [{ calls: [{ from: poor, to: from, value: '0x1' }] }]],
    ['insufficient_funds', [{ calls: [{ from: poor, to: from, gasPrice: '0x5' }] }]],
    ['gas_limit_reached', [{ blockOverrides: { gasLimit: '0x6000' }, calls: [{ ...call, gas: '0x6001' }] }]],
    ['gas_limit_reached', [{ blockOverrides: { gasLimit: '0xa000' }, calls: [call, { ...call, gas: '0x5208' }] }]],
    ['gas_limit_reached', [{ calls: [{ ...call, gas: '0x3938701' }] }]],
    ['number_not_rising', [{ blockOverrides: { number: '0x1' } }]],
    ['number_not_rising', [at(5n), at(5n)]],
    ['number_not_rising', [at(9n), {}, at(10n)]],
    ['time_not_rising', [{ blockOverrides: { time: '0x1' } }]],
    ['time_not_rising', [{ blockOverrides: { time: '0xfffffff0' } }, { blockOverrides: { time: '0xfffffff0' } }]],
    ['too_many_blocks', [{ blockOverrides: { number: '0xffffff' } }]],
    ['too_many_blocks', Array(257).fill({})],
  ]
  for (const [name, blocks] of asked)
    expect([name, await simulated(...blocks)]).toMatchObject([
      name,
      { error: { code: simulationErrors[name].jsonRpc, data: { metadata: { simulation: name } } } },
    ])
  expect(await simulated(...Array(256).fill({}))).toMatchObject({ result: { length: 256 } })
})

test('a block is traced by its hash as by its number', async () => {
  const block = (await ask('eth_getBlockByNumber', 'latest', false)).result
  for (const options of [{ tracer: 'callTracer' }, { limit: 1 }]) {
    const traces = await ask('debug_traceBlockByHash', block.hash, options)
    expect(traces.result).toHaveLength(block.transactions.length)
    expect(traces.result).toEqual((await ask('debug_traceBlockByNumber', block.number, options)).result)
  }
  expect(await ask('debug_traceBlockByHash', keccak256('0x12'))).toMatchObject({ error: { code: -32001 } })
  expect(await ask('debug_traceBlockByHash', block.number)).toMatchObject({ error: { code: -32602 } })
})

test('a refusal has the figures that help, and a number the form that it takes', async () => {
  for (const [method, params, words] of [
    ['eth_getBlockByNumber', [5, false], 'in quotes, in hex: "0x5"'],
    ['eth_call', [{ from, to: from, value: 255 }, 'latest'], 'in quotes, in hex: "0xff"'],
    ['eth_simulateV1', [{ blockStateCalls: [{ blockOverrides: { number: 16 } }] }], 'in quotes, in hex: "0x10"'],
  ] as const)
    expect(await ask(method, ...params)).toMatchObject({
      error: { code: -32602, message: expect.stringContaining(words) },
    })
  const nonce = Number((await ask('eth_getTransactionCount', from, 'pending')).result)
  const plain = { type: 'legacy', chainId: 84_532, nonce, gas: 21_000n, gasPrice: 10n ** 9n, to: from as Hex } as const
  for (const [more, words] of [
    [{ gas: 20_999n }, 'intrinsic gas too low: gas 20999, minimum needed 21000. '],
    [{ chainId: 900 }, 'invalid chain id for signer: have 900 want 84532. '],
    [{ gas: 60_000_000n }, 'exceeds block gas limit: gas 60000000, limit 59'],
  ] as const)
    expect(
      await ask('eth_sendRawTransaction', await parentAccount.signTransaction({ ...plain, ...more })),
    ).toMatchObject({ error: { code: -32003, message: expect.stringContaining(words) } })
})
