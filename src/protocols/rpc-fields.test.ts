import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import type { Operation } from '../contract/shared/operation.ts'
import { rpcFields } from './rpc-fields.ts'

const { chain } = contract
type Bound = Parameters<typeof rpcFields>[0]
const fieldsOf = (operation: unknown, params: unknown) => rpcFields(operation as Bound, params as unknown[])

const address = `0x${'a1'.repeat(20)}`
const topic = `0x${'12'.repeat(32)}`

test.each<[string, unknown, unknown[], unknown]>([
  [
    'a call as MetaMask writes it',
    chain.estimateGas,
    [{ from: address, to: address, data: null, value: null, accessList: null }, null, null],
    { transaction: { from: address, to: address } },
  ],
  [
    'overrides at any depth',
    chain.call,
    [
      { to: address, accessList: [{ address, storageKeys: null }] },
      { blockHash: topic, blockNumber: null, requireCanonical: null },
      { [address]: { balance: '0x1', code: null, stateDiff: { [topic]: null } }, [`0x${'b0'.repeat(20)}`]: null },
      { coinbase: address, feeRecipient: null, time: null },
    ],
    {
      transaction: { to: address, accessList: [{ address }] },
      block: topic,
      stateOverrides: { [address]: { balance: '0x1', stateDiff: {} } },
      blockOverrides: { feeRecipient: address },
    },
  ],
  [
    'a filter, whose topics keep their places',
    chain.getLogs,
    [
      {
        fromBlock: '0x1',
        toBlock: null,
        blockHash: null,
        address: null,
        topics: [null, topic, [topic, null], [topic]],
      },
    ],
    { filter: { fromBlock: '0x1', topics: [null, topic, null, [topic]] } },
  ],
  ['a subscription', chain.subscribe, ['logs', { address: null, topics: null }], { type: 'logs', filter: {} }],
  ['a subscription without a filter', chain.subscribe, ['newHeads', null], { type: 'newHeads' }],
  [
    'the options of a trace, but not what is free JSON in them',
    chain.debugTraceTransaction,
    [topic, { tracer: 'callTracer', timeout: null, tracerConfig: { onlyTopCall: null, deep: [null, { a: null }] } }],
    { hash: topic, options: { tracer: 'callTracer', tracerConfig: { onlyTopCall: null, deep: [null, { a: null }] } } },
  ],
  [
    'a simulation',
    chain.simulateV1,
    [
      {
        blockStateCalls: [
          { blockOverrides: { baseFee: null }, stateOverrides: null, calls: [{ to: address, data: null }] },
        ],
        validation: null,
      },
    ],
    { simulation: { blockStateCalls: [{ blockOverrides: {}, calls: [{ to: address }] }] } },
  ],
])('null is absent: %s', (_, operation, params, fields) => {
  expect(fieldsOf(operation, params)).toEqual(fields)
  const named = Object.fromEntries((operation as Bound).rpc.params.map((name, index) => [name, params[index] ?? null]))
  expect(fieldsOf(operation, named)).toEqual(fields)
  expect((operation as Operation).input.safeParse(fields).success).toBe(
    !JSON.stringify(fields).includes('"accessList":[{'),
  )
})

test('a null item of a list stays, and is refused', () => {
  for (const params of [
    [{ address: [address, null] }],
    [{ topics: [topic, null, null, null, null] }],
    [{ topics: { 0: null } }],
    [{ topics: [['nonsense', null]] }],
    [{ topics: [[null, {}]] }],
    [{ topics: [Array(1_001).fill(null)] }],
  ])
    expect(chain.getLogs.input.safeParse(fieldsOf(chain.getLogs, params)).success).toBe(false)
  const list = fieldsOf(chain.call, [{ to: address, accessList: [null] }])
  expect(list).toEqual({ transaction: { to: address, accessList: [null] } })
  expect(chain.call.input.safeParse(list).success).toBe(false)
})

test('nulls in any place change nothing else', () => {
  const fields = fc.dictionary(
    fc.constantFrom('from', 'to', 'data', 'gas', 'value', 'made_up'),
    fc.constantFrom(null, '0x1', address),
  )
  fc.assert(
    fc.property(fields, (drawn) => {
      const given = Object.fromEntries(Object.entries(drawn).filter(([, value]) => value !== null))
      expect(fieldsOf(chain.call, [drawn])).toEqual({ transaction: given })
    }),
  )
})
