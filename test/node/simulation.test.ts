import { type Block, type Hex, keccak256, numberToHex, toRlp } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chain } from '../../src/contract/chain/chain.ts'
import { chainId, clientOf, treasury, user } from '../../src/sandbox/fixtures/testing.ts'
import { type EmbeddedNode, openEmbeddedNode } from './embedded-node.ts'

const never = new AbortController().signal
let embedded: EmbeddedNode
let world: EmbeddedNode['world']
let node: EmbeddedNode['node']

beforeAll(async () => {
  embedded = await openEmbeddedNode()
  ;({ world, node } = embedded)
})
afterAll(() => embedded[Symbol.asyncDispose]())

const ask: EmbeddedNode['ask'] = (method, ...params) => embedded.ask(method, ...params)
const simulate = async (blockStateCalls: object[], block: unknown, more: object = {}) =>
  (await ask('eth_simulateV1', { blockStateCalls, ...more }, block)) as Simulated[]
const failure = (blockStateCalls: object[], more: object = {}) =>
  simulate(blockStateCalls, 'latest', more).then(
    (answer) => ({ answer }),
    ({ code, message }) => ({ code, message }),
  )

/** Contracts: one returns the number of its block, one writes a log, one returns a word and reverts. */
const [counter, writer, thrower] = ['7', '8', '9'].map((digit) => `0x${digit.repeat(40)}`) as [string, string, string]
const stateOverrides = {
  [counter]: { code: '0x435f5260205ff3' },
  [writer]: { code: '0x60205fa000' },
  [thrower]: { code: '0x602a5f5260205ffd' },
}

test('blocks that are tried out are numbered, dated and linked from the one they build on', async () => {
  const base = (await ask('eth_getBlockByNumber', 'latest', false)) as Simulated
  const far = Number(base.number) + 4
  const calls = [{ to: counter }, { from: treasury.address, to: writer }, { to: thrower }]
  const blocks = await simulate(
    [
      { stateOverrides, calls },
      { blockOverrides: { number: numberToHex(far) }, calls: [{ to: counter }] },
    ],
    base.number,
    { returnFullTransactions: true },
  )
  expect(blocks.map(({ number }) => Number(number))).toEqual([far - 3, far - 2, far - 1, far])
  let before = base
  for (const block of blocks) {
    expect(block.parentHash).toBe(before.hash)
    expect(block.hash).toBe(headerHash(block))
    expect(Number(block.timestamp)).toBeGreaterThan(Number(before.timestamp))
    before = block
  }
  expect(chain.simulateV1.output.parse(blocks)).toHaveLength(4)
  const [first, , , last] = blocks as [Simulated, Simulated, Simulated, Simulated]
  expect([first, last].map(({ calls }) => Number(calls[0]?.returnData))).toEqual([far - 3, far])
  const place = { blockHash: first.hash, blockNumber: first.number }
  expect(first.transactions.map(({ chainId: id }) => Number(id))).toEqual([chainId, chainId, chainId])
  expect(first.transactions[1]).toMatchObject({ ...place, transactionIndex: '0x1' })
  expect(first.calls[1]?.logs).toEqual([
    expect.objectContaining({ ...place, transactionHash: first.transactions[1]?.hash, transactionIndex: '0x1' }),
  ])
  const word = numberToHex(42, { size: 32 })
  expect(first.calls[2]).toMatchObject({ status: '0x0', error: { code: 3, data: word } })
})

test('a failed call reports no transfers, and whether it reverted or failed otherwise', async () => {
  const [silent, broken] = ['a', 'b'].map((digit) => `0x${digit.repeat(40)}`) as [string, string]
  const code = { [silent]: { code: '0x5f5ffd' }, [broken]: { code: '0xfe' } }
  const calls = [thrower, silent, broken, writer].map((to) => ({ from: treasury.address, to, value: '0x5' }))
  const blocks = [{ stateOverrides: { ...stateOverrides, ...code }, calls }]
  for (const full of [true, false]) {
    const [block] = await simulate(blocks, 'latest', { traceTransfers: true, returnFullTransactions: full })
    const failed = (error: object) => ({ status: '0x0', logs: [], error })
    const reverted = (data: string) => failed({ code: 3, message: 'execution reverted', data })
    expect(block?.calls).toMatchObject([
      reverted(numberToHex(42, { size: 32 })),
      reverted('0x'),
      failed({ code: -32015, message: 'vm execution error' }),
      { status: '0x1', logs: [{ logIndex: '0x0', data: numberToHex(5, { size: 32 }) }, { logIndex: '0x1' }] },
    ])
    expect(block?.transactions).toEqual(Array(4).fill(full ? expect.any(Object) : expect.stringMatching(/^0x/)))
  }
})

test('a simulation builds on whatever block is named, and client libraries read it', async () => {
  const hash = ((await ask('eth_getBlockByNumber', '0x1', false)) as Simulated).hash
  for (const block of ['0x1', hash])
    expect(await simulate([{}], block)).toMatchObject([{ number: '0x2', parentHash: hash }])
  expect(await simulate([{}], 'earliest')).toMatchObject([{ number: '0x1' }])
  expect(Number((await simulate([{}], 'pending'))[0]?.number)).toBeGreaterThan(1)
  const request = ({ method, params }: { method: string; params?: unknown }) =>
    node.request(method, (params ?? []) as unknown[], never)
  const { results } = await clientOf({ ...world, request }).simulateCalls({
    account: treasury.address,
    calls: [{ to: user.address, value: 1n }],
  })
  expect(results).toMatchObject([{ status: 'success', gasUsed: 21_000n }])
})

test('what the engine would answer wrongly is refused, and so are numbers and times that fall back', async () => {
  const refused = (code: string, words: string) => ({ code, message: expect.stringContaining(words) })
  const lacks = (words: string) => refused('UNIMPLEMENTED', words)
  expect(await failure([{}], { validation: true })).toMatchObject(lacks('validation'))
  expect(await failure([{ calls: [{ data: '0x00' }] }])).toMatchObject(lacks('creation of contracts'))
  const overridden = (blockOverrides: object) => failure([{ blockOverrides }])
  const wrong = (words: string) => refused('INVALID_ARGUMENT', words)
  expect(await overridden({ number: '0x1' })).toMatchObject(wrong('blockOverrides.number: must be above'))
  expect(await overridden({ number: '0xffffff' })).toMatchObject(wrong('256 blocks'))
  expect(await overridden({ baseFeePerGas: '0x1' })).toMatchObject(lacks('without a base fee'))
  const precompile = { '0x0000000000000000000000000000000000000004': { movePrecompileToAddress: counter } }
  const cannot = lacks('cannot override movePrecompileToAddress')
  expect(await failure([{ stateOverrides: precompile }])).toMatchObject(cannot)
  const asked: [string, ...unknown[]][] = [
    ['eth_call', { to: counter }, 'latest', precompile],
    ['eth_estimateGas', { to: counter }, 'latest', precompile],
    ['debug_traceCall', { to: counter }, 'latest', { tracer: 'callTracer', stateOverrides: precompile }],
  ]
  for (const [method, ...params] of asked) await expect(ask(method, ...params)).rejects.toMatchObject(cannot)
  expect(await overridden({ blobBaseFee: '0x1' })).toMatchObject(lacks('cannot override blobBaseFee'))
  expect(await overridden({ time: '0x1' })).toMatchObject(wrong('blockOverrides.time: must be after'))
})

test('the calls of one simulation share the gas that one question may use', async () => {
  // An invalid instruction uses all the gas it is given, and takes no time.
  const greedy = { [user.address]: { code: '0xfe' } }
  const call = { from: treasury.address, to: user.address }
  const usedBy = async (count: number, gas?: string) => {
    const calls = Array.from({ length: count }, () => ({ ...call, ...(gas && { gas }) }))
    const [block] = await simulate([{ stateOverrides: greedy, calls }], 'latest')
    return block?.calls.map(({ gasUsed }) => Number(gasUsed))
  }
  expect(await usedBy(1, '0x3938700')).toEqual([50_000_000])
  expect(await usedBy(100, '0x10000')).toEqual(Array(100).fill(0x10000))
  expect(await usedBy(20)).toEqual(Array(20).fill(40_000_000))
})

type Simulated = {
  number: Hex
  hash: Hex
  parentHash: Hex
  timestamp: Hex
  transactions: { hash: string; chainId: string }[]
  calls: { returnData: Hex; gasUsed: string; logs: object[] }[]
}

/** The hash of a header as returned. */
function headerHash(block: object): Hex {
  const shown = block as Record<keyof Block, Hex>
  const integer = (value: Hex): Hex => (BigInt(value) === 0n ? '0x' : numberToHex(BigInt(value)))
  const even = (value: Hex): Hex => (value.length % 2 === 0 ? value : `0x0${value.slice(2)}`)
  const { difficulty, number, gasLimit, gasUsed, timestamp, baseFeePerGas } = shown
  return keccak256(
    toRlp([
      ...[shown.parentHash, shown.sha3Uncles, shown.miner, shown.stateRoot, shown.transactionsRoot],
      ...[shown.receiptsRoot, shown.logsBloom],
      ...[difficulty, number, gasLimit, gasUsed, timestamp].map((value) => even(integer(value))),
      ...[shown.extraData, shown.mixHash, shown.nonce, even(integer(baseFeePerGas))],
    ]),
  )
}
