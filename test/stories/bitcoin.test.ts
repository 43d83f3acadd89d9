import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OperationId } from '../../src/contract/index.ts'
import { type Account, newAccount, protocols, sharedWorld, type World } from '../world.ts'

let world: World
let account: Account
beforeAll(async () => {
  world = await sharedWorld()
  account = await newAccount(world.clients.rest)
})
afterAll(async () => await world[Symbol.asyncDispose]())

/** The output of every protocol, which must be the same. */
// biome-ignore lint/suspicious/noExplicitAny: answers of several operations pass through here
async function one(id: OperationId, input: object, moves = false): Promise<any> {
  const answers = await Promise.all(
    protocols.map(async (protocol) => {
      const { headers: _, ...answer } = await world.clients[protocol].call(id, input, account.token)
      return answer
    }),
  )
  const [first, ...others] = answers.map((answer) => ('output' in answer ? answer.output : answer))
  for (const other of moves ? [] : others)
    expect(other).toMatchObject(
      'code' in (first as object) ? { code: (first as { code: string }).code } : (first as object),
    )
  return first
}

const spends =
  '0200000001a1b2c3d4e5f60718293a4b5c6d7e8f900112233445566778899aabbccddeeff00000000000fdffffff0150c30000000000' +
  '00160014751e76e8199196d454941c45d1b3a323f1433bd600000000'

test('the tools are listed with the schema that checks their arguments', async () => {
  const { tools } = await one('tools.listBitcoin', {})
  expect(tools.map(({ name }: { name: string }) => name)).toEqual([
    ...['latest_block', 'decode_transaction', 'validate_address', 'tip_get', 'block_get', 'block_header'],
    ...['block_transactions', 'blocks_list', 'transaction_get', 'transaction_status', 'transaction_hex'],
    ...['outspends_list', 'address_get', 'address_utxos', 'address_transactions', 'fees_get', 'mempool_get'],
  ])
  expect(tools[1].input_schema).toMatchObject({ properties: { raw_tx: { maxLength: 800_000 } }, required: ['raw_tx'] })
})

test('the newest block is returned with its fees, from the chain of the sandbox', async () => {
  const block = await one('tools.latestBitcoinBlock', {}, true)
  expect(block).toMatchObject({
    bits: 0x207fffff,
    tx_count: 2,
    source: 'bitcoin (sandbox)',
    age_ms: expect.any(Number),
    id: expect.stringMatching(/^[0-9a-f]{64}$/),
    fee_estimates: expect.arrayContaining([{ blocks: 2, sat_per_vbyte: 2 }]),
  })
  expect(block.height).toBeGreaterThan(100)
  expect(Math.abs(block.timestamp - Date.now() / 1_000)).toBeLessThan(60)
})

test('a transaction is decoded alike everywhere, with addresses of the requested network', async () => {
  const found = await one('tools.decodeBitcoinTransaction', { raw_tx: spends })
  expect(found).toMatchObject({
    network: 'mainnet',
    vout: [{ scriptpubkey_type: 'v0_p2wpkh', scriptpubkey_address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4' }],
  })
  const test = await one('tools.decodeBitcoinTransaction', { raw_tx: spends, network: 'regtest' })
  expect(test).toMatchObject({ txid: found.txid, vout: [{ scriptpubkey_address: expect.stringMatching(/^bcrt1q/) }] })
})

test('hex that is not a transaction is refused with the name of the field', async () => {
  const refusal = await one('tools.decodeBitcoinTransaction', { raw_tx: spends.slice(0, -2) })
  expect(refusal).toMatchObject({ code: 'INVALID_ARGUMENT', violations: [{ path: 'raw_tx' }] })
})

test('an address is described by kind and networks, or by what is wrong with it', async () => {
  const address = 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx'
  expect(await one('tools.validateBitcoinAddress', { address })).toMatchObject({
    valid: true,
    address,
    type: 'v0_p2wpkh',
    network: 'testnet',
    networks: ['testnet', 'signet'],
  })
  expect(await one('tools.validateBitcoinAddress', { address: `${address}q` })).toMatchObject({
    valid: false,
    reason: expect.stringContaining('checksum'),
  })
})

test('every tool of the provider answers, and their answers fit each other', async () => {
  const invoke = async (tool_name: string, given: object = {}) => {
    const answer = await one('tools.invokeBitcoin', { tool_name, arguments: given }, true)
    expect(answer).toMatchObject({ tool: tool_name, source: 'bitcoin (sandbox)', age_ms: expect.any(Number) })
    return answer.result
  }
  const { height, id } = await invoke('tip_get')
  const block = await invoke('block_get', { block: height })
  expect(block).toMatchObject({ id, height })
  expect(await invoke('block_get', { block: id.toUpperCase() })).toEqual(block)
  expect(await one('tools.invokeBitcoin', { tool_name: 'block_get', arguments: { block: 99_999_999 } })).toMatchObject({
    code: 'NOT_FOUND',
    message: 'Block 99999999 is not mined yet; tip_get returns the newest one.',
  })
  const { header } = await invoke('block_header', { block: id })
  expect(header.slice(8, 72)).toBe(Buffer.from(block.previousblockhash, 'hex').reverse().toString('hex'))
  const { blocks } = await invoke('blocks_list', { from_height: height })
  expect(blocks).toHaveLength(10)
  expect(blocks[0]).toEqual(block)
  expect(blocks[1].id).toBe(block.previousblockhash)

  const { txids, total } = await invoke('block_transactions', { block: height - 1, limit: 5 })
  expect([txids.length, total]).toEqual([2, 2])
  const [, txid] = txids
  const transaction = await invoke('transaction_get', { txid })
  const status = { confirmed: true, block_height: height - 1, block_hash: blocks[1].id }
  expect(transaction).toMatchObject({ txid, fee: 1_000, status })
  expect(await invoke('transaction_status', { txid })).toMatchObject({ txid, ...status })
  const { hex } = await invoke('transaction_hex', { txid })
  const decoded = await one('tools.decodeBitcoinTransaction', { raw_tx: hex, network: 'regtest' })
  expect(transaction).toMatchObject({ txid: decoded.txid, weight: decoded.weight, vout: decoded.vout })
  const { outspends } = await invoke('outspends_list', { txid })
  expect(outspends).toHaveLength(transaction.vout.length)
  const [change] = outspends
  expect((await invoke('transaction_get', { txid: change.txid })).vin[change.vin].txid).toBe(txid)

  const { scriptpubkey_address: address, value } = transaction.vout[1]
  expect(await invoke('address_get', { address })).toMatchObject({
    address,
    chain_stats: { funded_txo_count: 1, funded_txo_sum: value, spent_txo_count: 0, tx_count: 1 },
  })
  expect((await invoke('address_utxos', { address })).utxos).toMatchObject([{ txid, vout: 1, value }])
  expect((await invoke('address_transactions', { address })).transactions).toMatchObject([{ txid }])
  expect((await invoke('address_transactions', { address, after_txid: txid })).transactions ?? []).toEqual([])
  expect((await invoke('fees_get')).fee_estimates).toContainEqual({ blocks: 2, sat_per_vbyte: 2 })
  expect(await invoke('mempool_get')).toMatchObject({ count: 0 })
})

test.each([
  ['an unknown tool', 'tx', {}, 'INVALID_ARGUMENT', 'transaction_get'],
  [
    'one with a call of its own',
    'latest_block',
    {},
    'INVALID_ARGUMENT',
    'GET /api/v1/multi-agent/bitcoin/latest-block',
  ],
  ['a missing argument', 'block_header', {}, 'INVALID_ARGUMENT', 'it takes block'],
  ['a wrong argument', 'transaction_get', { txid: 'abc' }, 'INVALID_ARGUMENT', '64 hex digits; it takes txid'],
  ['a stranger', 'transaction_get', { txid: 'ab'.repeat(32) }, 'NOT_FOUND', 'has nothing of this name or id'],
  [
    'another network',
    'address_get',
    { address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4' },
    'INVALID_ARGUMENT',
    'network',
  ],
])('a call of a tool with %s is refused with what is right', async (_name, tool_name, given, code, words) => {
  const answers = await Promise.all(
    protocols.map((protocol) =>
      world.clients[protocol].call('tools.invokeBitcoin', { tool_name, arguments: given }, account.token),
    ),
  )
  for (const answer of answers) expect(answer).toMatchObject({ code, message: expect.stringContaining(words) })
})
