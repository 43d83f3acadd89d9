import { expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { contract, isOperationId, type OperationId, operationOf, operations, resumeFieldOf } from './index.ts'
import type { InputOf, Operation } from './shared/operation.ts'
import { timestamp, timestampInput } from './shared/primitives.ts'
import { sampleSwap } from './shared/samples.ts'

const pathsOf = (schema: z.ZodType, input: unknown) =>
  schema.safeParse(input).error?.issues.map((issue) => issue.path.join('.')) ?? []

it('requires confirmation, wallet and key of a real trade, and none of a simulation', () => {
  const schema = contract.trading.execute.input
  const real = { ...sampleSwap, simulate_only: false }
  expect(pathsOf(schema, { input: sampleSwap })).toEqual([])
  expect(pathsOf(schema, { input: { ...sampleSwap, simulate_only: true }, confirm: true })).toEqual([])
  expect(pathsOf(schema, { input: real })).toEqual(['confirm', 'wallet_ref', 'idempotency_key'])
  expect(pathsOf(schema, { input: real, confirm: false, wallet_ref: 'default', idempotency_key: 'k' })).toEqual([
    'confirm',
  ])
  expect(pathsOf(schema, { input: real, confirm: true, wallet_ref: 'default', idempotency_key: 'k' })).toEqual([])
})

it('takes a quote back as it was answered', () => {
  const { input, output } = contract.trading.quote.example
  const body = { quote: output, input: { chain: 'evm', addresses: [input.input.token_out_address] } }
  expect(contract.trading.assessRisk.input.parse(body).input?.checks).toEqual(['rug', 'whale_flow', 'price_sanity'])
})

it.each([
  [{ amount_in: '0' }, 'input.amount_in'],
  [{ amount_in: '-1' }, 'input.amount_in'],
  [{ amount_in: '1e3' }, 'input.amount_in'],
  [{ slippage_bps: 5_001 }, 'input.slippage_bps'],
  [{ slippage_bps: 0.5 }, 'input.slippage_bps'],
  [{ token_in_address: '0x12' }, 'input.token_in_address'],
])('refuses a swap with %o', (change, path) => {
  expect(pathsOf(contract.trading.quote.input, { input: { ...sampleSwap, ...change } })).toEqual([path])
})

it('requires the chain or wallet of a halt', () => {
  expect(pathsOf(contract.operator.haltTrading.input, { scope: 'global' })).toEqual([])
  expect(pathsOf(contract.operator.haltTrading.input, { scope: 'chain' })).toEqual(['id'])
  expect(pathsOf(contract.operator.haltTrading.input, { scope: 'global', id: '1' })).toEqual(['id'])
})

it('requires limits of a wallet, or their removal', () => {
  const paths = (limits: object) =>
    pathsOf(contract.trading.setWalletPolicy.input, { wallet_ref: 'default', ...limits })
  const [none, both] = [{}, { unlimited: true, max_trade_usd: '5' }]
  expect([none, both, { unlimited: false }, { tokens: [] }].map(paths)).toEqual(Array(4).fill(['unlimited']))
  expect([{ unlimited: true }, { max_trade_usd: '5' }].map(paths)).toEqual([[], []])
})

const [to, slot] = [`0x${'ab'.repeat(20)}`, `0x${'00'.repeat(32)}`]
const many = (count: number, bytes: number) =>
  Array.from({ length: count }, (_, index) => `0x${index.toString(16).padStart(2 * bytes, '0')}`)
const slots = (count: number) => Object.fromEntries(many(count, 32).map((key) => [key, slot]))
const accounts = (count: number) => Object.fromEntries(many(count, 20).map((key) => [key, {}]))

it.each<[string, object, object, string[]]>([
  ['1,000 accounts and slots', {}, { ...accounts(999), [to]: { stateDiff: slots(1_000) } }, []],
  ['more accounts', {}, accounts(1_001), ['stateOverrides']],
  ['more slots', {}, { [to]: { state: slots(1_001) } }, [`stateOverrides.${to}.state`]],
  ['all slots and some', {}, { [to]: { state: {}, stateDiff: {} } }, [`stateOverrides.${to}.stateDiff`]],
  ['a price and a fee', { gasPrice: '0x1', maxFeePerGas: '0x1' }, {}, ['transaction.gasPrice']],
  [
    'a tip above the fee',
    { maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x2' },
    {},
    ['transaction.maxPriorityFeePerGas'],
  ],
  ['two names and two calls', { data: '0x01', input: '0x02' }, {}, ['transaction.data']],
])('takes a call with no more than it can mean: %s', (_, transaction, stateOverrides, refused) => {
  expect(pathsOf(contract.chain.call.input, { transaction: { to, ...transaction }, stateOverrides })).toEqual(refused)
})

it('subscribes to each stream of an exchange once', () => {
  const paths = (streams: string[]) =>
    pathsOf(contract.tools.subscribeExchange.input, { symbol: 'ETHUSDT', streams, interval: '1m' })
  expect([['trade'], ['trade', 'trade']].map(paths)).toEqual([[], ['streams']])
})

it('takes no address whose letters have a wrong checksum', () => {
  const wrong = sampleSwap.token_in_address.replace(/[a-f]/i, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  )
  expect(pathsOf(contract.trading.quote.input, { input: { ...sampleSwap, token_in_address: wrong } })).toEqual([
    'input.token_in_address',
  ])
})

it('has one kind of content in each event of a stream', () => {
  const { output, example } = contract.chain.subscribe
  const accepts = (event: object) => output.safeParse({ ...example.output, ...event }).success
  expect([{}, { syncing: false }].map(accepts)).toEqual([true, false])
})

it('requires percentiles that rise', () => {
  const paths = (rewardPercentiles: number[]) =>
    pathsOf(contract.chain.feeHistory.input, { blockCount: '0x1', newestBlock: 'latest', rewardPercentiles })
  expect([[], [25], [0, 25, 100]].map(paths)).toEqual([[], [], []])
  expect(
    [
      [25, 25],
      [75, 25],
    ].map(paths),
  ).toEqual(Array(2).fill(['rewardPercentiles']))
})

it('requires something to change of the embedded market', () => {
  const paths = (input: object) => pathsOf(contract.operator.setSandboxMarket.input, input)
  expect([{}, { mode: 'still' }, { speed: 2 }].map(paths)).toEqual([['mode'], [], []])
})

it('asks for an execution by its id or its key, and not by both', () => {
  const paths = (input: object) => pathsOf(contract.trading.getExecution.input, input)
  const [id, key] = [contract.trading.getExecution.example.input, { idempotency_key: 'k' }]
  expect([{}, { ...id, ...key }].map(paths)).toEqual(Array(2).fill(['execution_id']))
  expect([id, key].map(paths)).toEqual([[], []])
})

it('assesses a quote or the quote of an id, and not both', () => {
  const { input, output: quote } = contract.trading.quote.example
  const of = { input: { chain: 'evm', addresses: [input.input.token_out_address] } }
  const paths = (body: object) => pathsOf(contract.trading.assessRisk.input, body)
  expect([{}, { quote_id: 'q', quote, ...of }].map(paths)).toEqual(Array(2).fill(['quote_id']))
  expect([{ quote }, { quote, ...of }, { quote_id: 'q' }].map(paths)).toEqual([['input'], [], []])
})

it('keeps the facts for the generators when a shared value gets another description', () => {
  const described = [timestamp.describe('when'), timestampInput.describe('since')]
  expect(described.map((schema) => z.globalRegistry.get(schema)?.proto)).toEqual(['timestamp', 'timestamp'])
})

it('finds an operation by its id, with its own types', () => {
  expect(operationOf('trading.quote')).toBe(contract.trading.quote)
  expect(isOperationId('trading.nothing')).toBe(false)
  expectTypeOf(operationOf('trading.quote')).toEqualTypeOf<typeof contract.trading.quote>()
  expectTypeOf<'chat.stream'>().toExtend<OperationId>()
  expectTypeOf<InputOf<typeof contract.trading.execute>['agent']>().toEqualTypeOf<string>()
})

// A client resumes by the last id it received: after an event without one it would resume at the event before.
it('names each event of a stream that resumes, in what fits a line, and no event of another', () => {
  const sayId = (id: unknown, { output, example }: Operation) =>
    output.safeParse({ ...Object(example.output), id }).success
  for (const [id, operation] of operations()) {
    if (operation.kind !== 'stream') continue
    const resumes = resumeFieldOf(operation) !== null
    expect([id, 'id' in Object(operation.example.output)]).toEqual([id, resumes])
    if (resumes)
      expect([undefined, '', 'a\nb', 'a:1'].map((each) => sayId(each, operation))).toEqual([false, false, false, true])
  }
})

it('knows the streams that resume', () => {
  const fields = Object.fromEntries(operations().map(([id, operation]) => [id, resumeFieldOf(operation)]))
  expect(fields).toMatchObject({
    'chat.stream': 'after_id',
    'chat.resume': 'after_id',
    'trading.watchExecution': 'last_event_id',
    'tools.streamExchange': 'last_event_id',
    'trading.quote': null,
  })
})

it('pays no zero address, from which no key can spend', () => {
  const { input } = contract.chain.claimFaucet
  expect(pathsOf(input, { address: `0x${'00'.repeat(20)}` })).toEqual(['address'])
  expect(pathsOf(input, { address: `0x${'00'.repeat(19)}01` })).toEqual([])
})

it('reads a time in any spelling as the moment in UTC, and nothing longer than a time', () => {
  const { input } = contract.metrics.volumeSeries
  const read = (start: string) => input.safeParse({ start }).data?.start
  expect(['2026-01-31', '2026-01-31 05:30:00+0530'].map(read)).toEqual(Array(2).fill('2026-01-31T00:00:00.000Z'))
  expect(read(`2026-01-31T00:00:00.${'0'.repeat(40)}Z`)).toBeUndefined()
  expect(pathsOf(input, { start: 'soon' })).toEqual(['start'])
})
