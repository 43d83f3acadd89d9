import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OperationId } from '../../src/contract/index.ts'
import { type Account, newAccount, openWorld, protocols, type World } from '../world.ts'

let world: World
let account: Account
beforeAll(async () => {
  world = await openWorld()
  account = await newAccount(world.clients.rest)
})
afterAll(async () => await world[Symbol.asyncDispose]())

/** The answer of every protocol, which must be one. */
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
    expect(other).toMatchObject('code' in (first as object) ? { code: 'INVALID_ARGUMENT' } : (first as object))
  return first
}

const spends =
  '0200000001a1b2c3d4e5f60718293a4b5c6d7e8f900112233445566778899aabbccddeeff00000000000fdffffff0150c30000000000' +
  '00160014751e76e8199196d454941c45d1b3a323f1433bd600000000'

test('the tools are listed with the schema that checks their arguments', async () => {
  const { tools } = await one('tools.listBitcoin', {})
  expect(tools.map(({ name }: { name: string }) => name)).toEqual([
    ...['latest_block', 'decode_transaction', 'validate_address'],
  ])
  expect(tools[1].input_schema).toMatchObject({ properties: { raw_tx: { maxLength: 800_000 } }, required: ['raw_tx'] })
})

test('the newest block is told with its fees, from the chain of the sandbox', async () => {
  const block = await one('tools.latestBitcoinBlock', {}, true)
  expect(block).toMatchObject({
    ...{ bits: 0x207fffff, tx_count: 2, source: 'bitcoin (sandbox)', age_ms: expect.any(Number) },
    id: expect.stringMatching(/^[0-9a-f]{64}$/),
    fee_estimates: expect.arrayContaining([{ blocks: 2, sat_per_vbyte: 2 }]),
  })
  expect(block.height).toBeGreaterThan(100)
  expect(Math.abs(block.timestamp - Date.now() / 1_000)).toBeLessThan(60)
})

test('a transaction is decoded alike everywhere, with addresses of the network that is asked for', async () => {
  const found = await one('tools.decodeBitcoinTransaction', { raw_tx: spends })
  expect(found).toMatchObject({
    network: 'mainnet',
    vout: [{ scriptpubkey_type: 'v0_p2wpkh', scriptpubkey_address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4' }],
  })
  const test = await one('tools.decodeBitcoinTransaction', { raw_tx: spends, network: 'regtest' })
  expect(test).toMatchObject({ txid: found.txid, vout: [{ scriptpubkey_address: expect.stringMatching(/^bcrt1q/) }] })
})

test('hex that is no transaction is refused by the name of the field', async () => {
  const refusal = await one('tools.decodeBitcoinTransaction', { raw_tx: spends.slice(0, -2) })
  expect(refusal).toMatchObject({ code: 'INVALID_ARGUMENT', violations: [{ path: 'raw_tx' }] })
})

test('an address tells its kind and networks, or what is wrong with it', async () => {
  const address = 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx'
  expect(await one('tools.validateBitcoinAddress', { address })).toMatchObject({
    ...{ valid: true, address, type: 'v0_p2wpkh', network: 'testnet', networks: ['testnet', 'signet'] },
  })
  expect(await one('tools.validateBitcoinAddress', { address: `${address}q` })).toMatchObject({
    ...{ valid: false, reason: expect.stringContaining('checksum') },
  })
})
