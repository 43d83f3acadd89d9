import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Operation } from '../shared/operation.ts'
import { chain } from './chain.ts'

const operations: [string, Operation][] = Object.entries(chain)
const bindings = operations.flatMap(([, { rpc }]) => rpc ?? [])

/** Every row of the specification's method table, without `eth_unsubscribe`, and its parameters by position. */
const specified: Record<string, string[]> = {
  eth_blockNumber: [],
  eth_getBlockByNumber: ['block', 'fullTransactions'],
  eth_getBlockByHash: ['hash', 'fullTransactions'],
  eth_getBlockTransactionCountByNumber: ['block'],
  eth_getTransactionByHash: ['hash'],
  eth_getTransactionReceipt: ['hash'],
  eth_sendRawTransaction: ['transaction'],
  eth_getTransactionCount: ['address', 'block'],
  eth_getBalance: ['address', 'block'],
  eth_getCode: ['address', 'block'],
  eth_getStorageAt: ['address', 'slot', 'block'],
  eth_call: ['transaction', 'block', 'stateOverrides', 'blockOverrides'],
  eth_estimateGas: ['transaction', 'block', 'stateOverrides', 'blockOverrides'],
  eth_gasPrice: [],
  eth_feeHistory: ['blockCount', 'newestBlock', 'rewardPercentiles'],
  eth_getLogs: ['filter'],
  eth_newFilter: ['filter'],
  eth_newBlockFilter: [],
  eth_getFilterChanges: ['filterId'],
  eth_chainId: [],
  net_version: [],
  web3_clientVersion: [],
  rollup_syncStatus: [],
  rollup_rollupConfig: [],
  rollup_outputAtBlock: ['block'],
  eth_subscribe: ['type', 'filter'],
  debug_traceTransaction: ['hash', 'options'],
  debug_traceBlockByHash: ['hash', 'options'],
  debug_traceBlockByNumber: ['block', 'options'],
  admin_startSequencer: ['blockHash'], // absent in the specification, named as rollup nodes do
  admin_stopSequencer: [],
}

test.each(operations)('the example of %s satisfies its schemas and loses nothing', (_, { input, output, example }) => {
  expect(input.safeParse(example.input).error).toBeUndefined()
  expect(output.parse(example.output)).toEqual(example.output)
})

test.each(operations)('the parameters of %s are its input fields, each once', (_, { kind, rpc, http, input }) => {
  if (rpc) expect([...rpc.params].sort()).toEqual(Object.keys(input.shape).sort())
  else if (kind === 'unary') expect(http).toBeDefined()
})

test('fees that are not numbers are refused, and not compared', () => {
  const fees = { maxFeePerGas: '2026-01-01', maxPriorityFeePerGas: '0x1' }
  const issues = chain.call.input.safeParse({ transaction: fees }).error?.issues ?? []
  expect(issues.map(({ path }) => path.join('.'))).toEqual(['transaction.maxFeePerGas'])
  const swapped = chain.call.input.safeParse({ transaction: { maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x2' } })
  expect(swapped.error?.issues).toMatchObject([{ path: ['transaction', 'maxPriorityFeePerGas'] }])
})

test('no two operations answer to the same JSON-RPC name', () => {
  const names = bindings.flatMap(({ method, aliases = [] }) => [method, ...aliases])
  expect(new Set(names).size).toBe(names.length)
})

test('every specified method is declared with its parameters in order', () => {
  expect(Object.fromEntries(bindings.map(({ method, params }) => [method, params]))).toMatchObject(specified)
})

test('a method is found under the name it follows from', () => {
  for (const [key, { rpc }] of operations) {
    if (!rpc) continue
    const [space = '', name = ''] = rpc.method.split('_')
    expect(key).toBe(space === 'eth' ? name : space + name.charAt(0).toUpperCase() + name.slice(1))
  }
})

test('inputs refuse fields they do not know, outputs let them go', () => {
  expect(chain.getBalance.input.safeParse({ address: `0x${'0'.repeat(40)}`, blok: 'latest' }).success).toBe(false)
  expect(chain.call.input.safeParse({ transaction: { too: '0x' } }).success).toBe(false)
  expect(
    chain.getBlockByNumber.output.parse({ ...chain.getBlockByNumber.example.output, later: 1 }),
  ).not.toHaveProperty('later')
})

test('every parameter called block is a block parameter, and no other one is', () => {
  for (const { method, params, block } of bindings)
    expect([method, block ?? -1]).toEqual([method, params.indexOf('block')])
})

test('a block parameter that is left out means the latest block', () => {
  expect(chain.getBalance.input.parse({ address: `0x${'0'.repeat(40)}` }).block).toBe('latest')
})

test('a log filter takes one address or several and any form of topic', () => {
  const topic = `0x${'1'.repeat(64)}`
  const address = `0x${'2'.repeat(40)}`
  const accepts = (filter: unknown) => chain.getLogs.input.safeParse({ filter }).success
  expect(accepts({ address, topics: [topic, null, [topic, topic]] })).toBe(true)
  expect(accepts({ address: [address, address], topics: [] })).toBe(true)
  expect(accepts({ topics: [topic, null, null, null, topic] })).toBe(false)
  expect(accepts({ address: '0x12' })).toBe(false)
})

test('a number of blocks above 1,024 is reduced to that', () => {
  const read = (blockCount: string) => chain.feeHistory.input.safeParse({ blockCount, newestBlock: 'latest' })
  expect(read('0x3ff').data?.blockCount).toBe('0x3ff')
  for (const more of ['0x400', '0x401', '0x10000000000000000', `0x${'f'.repeat(64)}`])
    expect(read(more).data?.blockCount).toBe('0x400')
  for (const wrong of ['', '0x', '0x0401', '1025', `0x${'f'.repeat(65)}`]) expect(read(wrong).success).toBe(false)
})

test('a refusal of the faucet has the shape of its answer', () => {
  const { output, refusal } = chain.claimFaucet
  expect(output.safeParse(refusal?.({ message: 'not an address' }, new Date())).success).toBe(true)
})

test('component ids are unique and clear of the messages that operations get', () => {
  const ids = componentIds(
    z.object(
      Object.fromEntries(
        operations.flatMap(([key, { input, output }]) => [
          [`${key}In`, input],
          [`${key}Out`, output],
        ]),
      ),
    ),
  )
  expect(ids.length).toBeGreaterThan(20)
  expect(ids.filter((id) => !/^[A-Z][A-Za-z0-9]*$/.test(id) || /(Request|Response)$/.test(id))).toEqual([])
})

function componentIds(root: z.ZodType) {
  const schemas = new Map<string, z.ZodType>()
  const seen = new Set<z.ZodType>()
  const visit = (schema: z.ZodType): void => {
    if (seen.has(schema)) return
    seen.add(schema)
    const id = schema.meta()?.id
    if (id) {
      expect(schemas.get(id) ?? schema, id).toBe(schema)
      schemas.set(id, schema)
    }
    if (schema instanceof z.ZodObject) for (const field of Object.values(schema.shape)) visit(field)
    if (schema instanceof z.ZodArray) visit(schema.element as z.ZodType)
    if (schema instanceof z.ZodUnion) for (const option of schema.options) visit(option as z.ZodType)
    if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
      visit(schema.unwrap() as z.ZodType)
  }
  visit(root)
  return [...schemas.keys()]
}
