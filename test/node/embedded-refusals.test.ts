import { afterAll, beforeAll, expect, test } from 'vitest'
import { chainId, sendAndMine, treasury, until, user } from '../../src/sandbox/fixtures/testing.ts'
import { type EmbeddedNode, openEmbeddedNode } from './embedded-node.ts'

let embedded: EmbeddedNode
let world: EmbeddedNode['world']

beforeAll(async () => {
  embedded = await openEmbeddedNode()
  ;({ world } = embedded)
})
afterAll(() => embedded[Symbol.asyncDispose]())

const ask: EmbeddedNode['ask'] = (method, ...params) => embedded.ask(method, ...params)
const failure: EmbeddedNode['failure'] = (method, ...params) => embedded.failure(method, ...params)

test('failures keep their meaning', async () => {
  const missing = { code: 'NOT_FOUND', message: expect.stringContaining('header not found') }
  expect(await failure('eth_getBalance', user.address, '0xfffff')).toMatchObject(missing)
  expect(await failure('eth_getBalance', user.address, `0x${'11'.repeat(32)}`)).toMatchObject(missing)
  expect(await failure('eth_getLogs', { blockHash: `0x${'11'.repeat(32)}` })).toMatchObject(missing)
  expect(await failure('eth_getLogs', { fromBlock: '0x1', toBlock: '0xfffff' })).toMatchObject({
    code: 'INVALID_ARGUMENT',
  })
  expect(await failure('eth_feeHistory', '0x2', '0xfffff', [50])).toMatchObject(missing)
  expect(await ask('eth_feeHistory', '0x2', 'latest')).not.toHaveProperty('reward')
  expect(await failure('eth_call', { data: '0x60006000fd' }, 'latest')).toEqual({
    code: 'EXECUTION_REVERTED',
    message: 'execution reverted',
    metadata: { data: '0x' },
  })
  const [weth] = world.deployment.tokens
  const overdrawn = { from: `0x${'5'.repeat(40)}`, to: weth!.address, data: `0x2e1a7d4d${'1'.padStart(64, '0')}` }
  expect(await failure('eth_call', overdrawn, 'latest')).toMatchObject({ code: 'EXECUTION_REVERTED' })
  expect(await failure('eth_call', { data: '0xfe' }, 'latest')).toMatchObject({ code: 'FAILED_PRECONDITION' })
  expect(await failure('engine_secret')).toMatchObject({ code: 'UNIMPLEMENTED' })
})

test('nothing is estimated or called that its sender could not pay for', async () => {
  const from = `0x${'5'.repeat(40)}`
  const poor = {
    code: 'FAILED_PRECONDITION',
    message: expect.stringMatching(/^insufficient funds for gas \* price \+ value/),
  }
  const transfer = { from, to: user.address, value: '0x5' }
  const { address: to, encode } = world.funder
  for (const call of [
    transfer,
    { ...transfer, value: '0x0', maxFeePerGas: '0x3b9aca00', gas: '0x5208' },
    { ...transfer, to, data: encode(user.address).data },
  ])
    for (const method of ['eth_estimateGas', 'eth_call'])
      expect(await failure(method, call, 'latest')).toMatchObject(poor)
  expect(await ask('eth_estimateGas', { from, to: user.address }, 'latest')).toBe('0x5208')
  expect(await ask('eth_estimateGas', { to: user.address, value: '0x1bc16d674ec80000' }, 'latest')).toBe('0x5208')
  expect(await ask('eth_estimateGas', transfer, 'latest', { [from]: { balance: '0x5' } })).toBe('0x5208')
  const rich = { ...transfer, from: treasury.address, gasPrice: '0x3b9aca00' }
  expect(await ask('eth_estimateGas', rich, 'latest')).toBe('0x5208')
})

test('a transaction that cannot be sent is rejected with the messages that client libraries know', async () => {
  await sendAndMine(world, treasury, { to: user.address, value: 1n })
  const nonce = Number(await ask('eth_getTransactionCount', treasury.address, 'pending'))
  const signed = (more: object) =>
    treasury.signTransaction({
      type: 'eip1559',
      chainId,
      gas: 21_000n,
      maxFeePerGas: 10n ** 9n,
      maxPriorityFeePerGas: 1n,
      to: user.address,
      nonce,
      ...more,
    })
  const refused = async (more: object) => failure('eth_sendRawTransaction', await signed(more))
  const rejected = (words: string) => ({ code: 'TRANSACTION_REJECTED', message: expect.stringContaining(words) })
  expect(await refused({ nonce: 0 })).toMatchObject(rejected('nonce too low'))
  expect(await refused({ chainId: 1 })).toMatchObject(rejected('invalid chain id'))
  expect(await refused({ value: 10n ** 60n })).toMatchObject(rejected('insufficient funds for gas * price + value'))
  expect(await failure('eth_sendRawTransaction', '0x7ec0')).toMatchObject(rejected('0x7e'))
  expect(await failure('eth_sendRawTransaction', '0x02c0')).toMatchObject({ code: 'INVALID_ARGUMENT' })

  const raw = await signed({})
  const hash = await ask('eth_sendRawTransaction', raw)
  expect(await ask('eth_sendRawTransaction', raw)).toBe(hash)
  expect(await refused({ value: 1n })).toMatchObject(rejected('replacement transaction underpriced'))
  await until(async () => (await ask('eth_getTransactionReceipt', hash)) !== null, 'the receipt')
  expect(await ask('eth_sendRawTransaction', raw)).toBe(hash)
})
