import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { publicNode } from '../../src/adapters/chain/fixtures/nodes.ts'
import { neverAborts } from '../../src/kit/values.ts'
import { newAccount, paidBy } from '../accounts.ts'
import { output } from '../clients/client.ts'
import { openClients } from '../clients/clients.ts'
import { dataFolder } from '../data-folder.ts'
import { startGateway } from '../gateway-process.ts'
import { type GethWorld, gethChainId, gethSettings, startGethWorld } from './geth.ts'
import { noGeth, noGethReason } from './geth-binary.ts'
import { type Fault, openNodeProxy } from './node-proxy.ts'

if (noGeth) console.log(noGethReason)

const lacks = (...methods: string[]): Fault => ({ does: 'lacks', methods })
const tenBlocks =
  'Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Upgrade to PAYG.'
const noOverrides =
  /nodes of the chain.* do not run eth_call with state overrides, which the check of a t.* needs.* Set CHAIN_RPC_URL to a node that does, such as go-ethereum/

type Row = { faults: Fault[]; says: string | null; refused?: RegExp; feedless?: true }

/** What a node lacks, what the gateway says of it when it starts, and why a real trade is refused where it is. */
const rows: Record<string, Row> = {
  'no access lists': { faults: [lacks('eth_createAccessList')], says: 'no eth_createAccessList' },
  'no access lists and no traces': {
    faults: [lacks('eth_createAccessList', 'debug_traceCall')],
    says: 'no eth_createAccessList',
  },
  'ten blocks of logs': { faults: [{ does: 'narrow-logs', blocks: 10, message: tenBlocks }], says: null },
  'one block of logs': {
    faults: [{ does: 'narrow-logs', blocks: 1, message: 'block range is too wide', code: -32_005 }],
    says: null,
  },
  'no logs': { faults: [lacks('eth_getLogs')], says: null, refused: /return no logs of recent blocks.*eth_getLogs/ },
  'no simulation and no receipts of blocks': {
    faults: [lacks('eth_simulateV1', 'eth_getBlockReceipts')],
    says: 'no eth_simulateV1, no eth_getBlockReceipts',
  },
  'no overrides': {
    faults: [{ does: 'no-overrides', how: 'refuses' }],
    says: 'no state overrides in eth_call',
    refused: noOverrides,
  },
  'overrides that are ignored': {
    faults: [{ does: 'no-overrides', how: 'ignores' }],
    says: 'no state overrides in eth_call',
    refused: noOverrides,
  },
  'no block by hash': { faults: [{ does: 'no-block-hashes' }], says: 'no block named by its hash in eth_call' },
  'no price feeds': { faults: [], says: null, feedless: true, refused: /no price feeds.*CHAIN_TABLE/ },
}

describe.skipIf(noGeth)('a gateway in front of a node that lacks', () => {
  let geth: GethWorld
  beforeAll(async () => {
    geth = await startGethWorld()
  })
  afterAll(async () => await geth?.[Symbol.asyncDispose]())

  test.each(Object.entries(rows))(
    '%s',
    async (name, { faults, says, refused, feedless }) => {
      await using proxy = await openNodeProxy(geth.url, { faults })
      await using folder = dataFolder()
      const settings = gethSettings(geth, { dir: folder.path, url: proxy.url })
      if (feedless) withoutFeeds(settings.CHAIN_TABLE as string)
      await using gateway = await startGateway(folder.path, settings)
      using clients = openClients(gateway.urls)
      paidBy(clients, geth.give)
      const client = clients.rest
      const { token, swap, trade } = await newAccount(client)
      const spoken = gateway.said()
      if (says !== null) expect(spoken.split('\n').filter((line) => line.includes(says))).toHaveLength(1)
      else expect(spoken).not.toMatch(/Chain \d+: no /)
      if (feedless) expect(spoken).toContain('has no price feeds')

      const quote = await output(client.call('trading.quote', { input: swap('USDC', 'WETH', '1000') }, token))
      const risk = await output(client.call('trading.assessRisk', { quote_id: quote.quote_id }, token))
      const trial = { input: { ...swap('USDC', 'WETH', '1000'), simulate_only: true } }
      const simulated = await output(client.call('trading.execute', trial, token))
      const executed = await output(
        client.call('trading.execute', trade('USDC', 'WETH', '1000', 'sale', { quote_id: quote.quote_id }), token),
      )
      const lines = [
        quote.expected_out,
        risk.level,
        simulated.status,
        simulated.message,
        executed.status,
        executed.message,
      ]
      if (process.env.TEST_SHOW) console.log(JSON.stringify([name, ...lines, proxy.calls]))
      if (refused === undefined)
        expect([name, executed.status, executed.message]).toEqual([name, 'success', executed.message])
      else {
        expect(executed.status).toBe('rejected')
        expect(executed.message).toMatch(refused)
      }
    },
    120_000,
  )
})

describe.skipIf(noGeth)('go-ethereum behind the gateway', () => {
  test('takes overrides by the names of the contract, and an access list only from who can pay for it', async () => {
    await using geth = await startGethWorld()
    await using node = await publicNode([geth.url], gethChainId)
    const call = async (method: string, ...params: unknown[]) => await node.request(method, params, neverAborts)
    const someone = `0x${'5a'.repeat(20)}`
    /** What an opcode returns under the overrides of the block. */
    const shown = async (opcode: string, block: object, payer: object = {}) => {
      const overrides = { [someone]: { code: `0x${opcode}60005260206000f3` } }
      return BigInt(String(await call('eth_call', { to: someone, ...payer }, 'latest', overrides, block)))
    }
    expect(await shown('41', { feeRecipient: someone })).toBe(BigInt(someone))
    // To a call that offers nothing for its gas it shows a base fee of zero.
    expect(await shown('48', { baseFeePerGas: '0x7' }, { from: geth.rich, gasPrice: '0x7' })).toBe(7n)
    expect(await shown('44', { prevRandao: `0x${'00'.repeat(31)}09` })).toBe(9n)
    expect(await shown('43', { number: '0xffff' })).toBe(0xffffn)
    expect(await shown('42', { time: '0x7fffffff' })).toBe(0x7fffffffn)
    expect(await shown('45', { gasLimit: '0x1000000' })).toBe(0x1000000n)
    await expect(call('eth_createAccessList', { to: someone }, 'latest')).rejects.toThrow('Name a from that can')
    expect(await call('eth_createAccessList', { from: geth.rich, to: someone }, 'latest')).toHaveProperty('accessList')
    expect(await call('eth_estimateGas', { to: someone }, 'latest')).toBe('0x5208')
  }, 120_000)
})

function withoutFeeds(table: string): void {
  const { tokens, ...deployment } = JSON.parse(readFileSync(table, 'utf8'))
  const bare = tokens.map(({ usd_feed: _, ...token }: Record<string, unknown>) => token)
  writeFileSync(table, JSON.stringify({ ...deployment, tokens: bare, feeds: [] }))
}
