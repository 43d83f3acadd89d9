import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type contract, type OperationId, operationOf } from '../../src/contract/index.ts'
import type { Operation } from '../../src/contract/shared/operation.ts'
import { assistantCall } from '../../src/domain/chat/tools/assistant-call.ts'
import { toolNameOf } from '../../src/domain/chat/tools/tool-declarations.ts'
import { chatTools } from '../../src/domain/chat/tools/tools.ts'
import { readConfig } from '../../src/settings/config.ts'
import { openObserver } from '../../src/wiring/open-observer.ts'
import { openPorts, ordinaryTimes, type World } from '../../src/wiring/open-ports.ts'
import { freePorts } from '../free-ports.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'trident-tools-'))
let world: World
let userId: number

beforeAll(async () => {
  const config = readConfig({ ...freePorts, LOG_LEVEL: 'silent', DATA_DIR: dataDir })
  world = await openPorts(config, await openObserver(config), () => 'http://localhost', ordinaryTimes)
  const wallet = (id: number) => world.ports.signer.generate(id, 'default')
  const fields = { email: 'ada@example.com', passwordHash: '', wallet, funding: 'wanted', at: new Date() } as const
  userId = (await world.ports.accounts.create(fields))?.id ?? 0
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  rmSync(dataDir, { recursive: true, force: true })
})

const swap = { token_in_address: 'ETH', token_out_address: 'usdc', amount_in: '0.1', slippage_bps: 50 }

/** Arguments in plain words for every tool that needs no trade. */
const said: readonly [OperationId, Record<string, unknown>, object][] = [
  [
    'research.preview',
    { defi_calls: [{ tool_name: 'chains_list', arguments: { limit: 2 } }], analytics_query_id: 1 },
    { analytics_state: 'QUERY_STATE_COMPLETED' },
  ],
  ['trading.quote', { input: swap }, { slippage_bps: 50 }],
  ['trading.quote', { input: { ...swap, chain_id: 'sandbox' }, wallet_ref: 'default' }, { slippage_bps: 50 }],
  ['trading.assessRisk', { input: { chain: 'evm', addresses: ['RUG'] } }, { level: 'high' }],
  [
    'trading.assessRisk',
    { input: { chain: 'evm', addresses: ['WETH'], chain_id: '84532' } },
    { level: 'low', flags: [] },
  ],
  ['trading.previewIntent', { text: 'quote 1 WETH to USDC' }, { intent: 'quote' }],
  ['trading.listChains', {}, { items: [{ name: 'sandbox' }] }],
  ['trading.listWallets', {}, { items: [{ wallet_ref: 'default' }] }],
  ['trading.listExecutions', { limit: 5 }, { items: [] }],
  ['tools.oraclePrice', { pair: 'WBTC' }, { pair: 'BTC/USD' }],
  ['tools.oraclePrice', { pair: 'ETH/USD', chain: '84532' }, { pair: 'ETH/USD' }],
  ['tools.walletBalance', {}, { native_balance: '10' }],
  ['tools.walletBalance', { address: 'default', chain_id: 'sandbox' }, { native_balance: '10' }],
  ['tools.invokeTvl', { tool_name: 'tvl_get', arguments: { chain: 'sandbox' } }, { tool: 'tvl_get' }],
  ['tools.invokeExchange', { tool_name: 'price_get', arguments: { symbol: 'ETHUSDC' } }, { tool: 'price_get' }],
  ['tools.invokeBitcoin', { tool_name: 'tip_get', arguments: {} }, { tool: 'tip_get' }],
  ['metrics.positions', { wallet_address: 'default', token_address: 'WETH' }, { items: [{ token_symbol: 'WETH' }] }],
  ['metrics.volume', {}, { total_volume_usd: 0 }],
  ['metrics.realizedPnl', {}, { realized_pnl_usd: 0 }],
  ['metrics.unrealizedPnl', {}, {}],
  ['metrics.listClosedTrades', {}, { items: [] }],
  ['trading.getWalletPolicy', { wallet_ref: 'default', with_used: true }, { used_today_usd: '0' }],
  ['auth.listSessions', {}, { items: [] }],
  ['chain.gasPrice', {}, { value: expect.stringMatching(/^0x[1-9a-f]/) }],
  ['system.info', {}, { sandbox: true }],
  ['metrics.tvl', { mode: 'tvlfeed', chain: 'sandbox' }, { tvl_usd: expect.any(Number) }],
]

const toolsOf = (caller: { userId: number; sessionId: string }) => {
  const { signal } = new AbortController()
  const whole = { ...caller, grant: null }
  return chatTools(world.ports, whole, signal, assistantCall<typeof contract.chat.send>(whole, signal).fail)
}
const tools = () => toolsOf({ userId, sessionId: 'session' })

test.each(said)('%s answers what its operation does, to %j', async (id, words, received) => {
  const answer = await tools().get(toolNameOf(id))?.run(words)
  expect(answer).toMatchObject(received)
  const { output }: Operation = operationOf(id)
  const plain = output.type === 'array' ? answer?.items : output.type === 'string' ? answer?.value : answer
  expect(output.safeParse(plain).error).toBeUndefined()
})

test('every tool is called here but those that need a trade or a transfer', () => {
  const called = new Set([...said.map(([id]) => toolNameOf(id)), 'trading_getExecution', 'chain_bridgeStatus'])
  expect([...tools().keys()].filter((name) => !called.has(name))).toEqual([])
})

test('a quote is assessed by its id alone, and only its own account can', async () => {
  const { quote_id } = (await tools().get('trading_quote')?.run({ input: swap })) ?? {}
  const question = { quote_id }
  expect(await tools().get('trading_assessRisk')?.run(question)).toMatchObject({ level: 'low', flags: [] })
  const stranger = toolsOf({ userId: userId + 1, sessionId: 'other' })
  await expect(stranger.get('trading_assessRisk')?.run(question)).rejects.toThrow(
    'You have no quote with this quote_id',
  )
})
