import { describe, expect, expectTypeOf, test } from 'vitest'
import { clockAt } from '../../../../test/clock.ts'
import { type contract, operations } from '../../../contract/index.ts'
import type { AssistantTool } from '../../ports/assistant.ts'
import type { Ports } from '../../ports/index.ts'
import { reportingTools, type StoreEvent } from '../write-events.ts'
import { assistantCall } from './assistant-call.ts'
import { limitedTools, toolBounds } from './tool-budget.ts'
import { chatTools, type ToolPorts } from './tools.ts'

const caller = { userId: 1, sessionId: 'session', grant: null }
const never = new AbortController().signal
const { fail } = assistantCall<typeof contract.chat.send>(caller, never)

const token = (symbol: string, digit: string) => ({ symbol, address: `0x${digit.repeat(40)}`, decimals: 18 })
const info = {
  ...{
    id: 7,
    name: 'one',
    nativeSymbol: 'ETH',
    nativeUsdFeed: 'ETH/USD',
    venues: [],
    feedPairs: [],
    explorerUrl: null,
  },
  tokens: [
    { ...token('WETH', 'a'), usdFeed: 'ETH/USD' },
    { ...token('USDC', 'b'), usdFeed: null },
  ],
}
const chain = { info, price: async () => null, head: async () => ({ timestamp: 0n }) }
const chains = { default: chain, all: [chain], find: (id: number) => (id === 7 ? chain : null) }

/** The tools over chains, a clock and the given ports. */
function toolsOf(parts: object = {}, stopped = never): ReadonlyMap<string, AssistantTool> {
  const clock = clockAt(() => new Date(0))
  const chainHalts = { list: async () => [] }
  return chatTools({ chainHalts, chains, clock, ...parts } as unknown as Pick<Ports, ToolPorts>, caller, stopped, fail)
}

/** Operations that read by POST; every other tool is a GET. */
const readByPost = [
  'chain.gasPrice',
  'research.preview',
  'trading.quote',
  'trading.assessRisk',
  'trading.previewIntent',
  'tools.oraclePrice',
  'tools.walletBalance',
  'tools.invokeTvl',
  'tools.invokeExchange',
  'tools.invokeBitcoin',
]

describe('the set of tools', () => {
  test('only reads', () => {
    const tools = [...toolsOf().values()]
    const offered = tools.map(({ operation }) => operation)
    const read = operations().filter(([, { http, kind }]) => http?.method === 'GET' && kind === 'unary')
    const harmless = new Set<string>([...readByPost, ...read.map(([id]) => id)])
    expect(offered.filter((id) => !harmless.has(id))).toEqual([])
    expect(tools.map(({ name }) => name).sort()).toEqual([
      ...['auth_listSessions', 'chain_bridgeStatus', 'chain_gasPrice', 'metrics_listClosedTrades'],
      ...['metrics_positions', 'metrics_realizedPnl', 'metrics_tvl', 'metrics_unrealizedPnl', 'metrics_volume'],
      ...[
        'research_preview',
        'system_info',
        'tools_invokeBitcoin',
        'tools_invokeExchange',
        'tools_invokeTvl',
        'tools_oraclePrice',
      ],
      ...['tools_walletBalance', 'trading_assessRisk', 'trading_getExecution', 'trading_getWalletPolicy'],
      'trading_listChains',
      ...['trading_listExecutions', 'trading_listWallets', 'trading_previewIntent', 'trading_quote'],
    ])
  })

  test('has no port that signs or sends', () => {
    expectTypeOf<Extract<ToolPorts, 'sender' | 'signer' | 'sequencing' | 'node' | 'halts' | 'tokens'>>().toBeNever()
  })

  test.each([...toolsOf().values()])(
    '$name describes its arguments in one self-contained schema',
    ({ name, operation, inputSchema, description }) => {
      expect(name).toBe(operation.replace('.', '_'))
      expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
      expect(description.length).toBeGreaterThan(10)
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
      expect(JSON.stringify(inputSchema)).not.toMatch(/\$ref|\$defs/)
    },
  )
})

describe('arguments', () => {
  const refusal = async (name: string, input: Record<string, unknown>, parts?: object) =>
    await toolsOf(parts)
      .get(name)
      ?.run(input)
      .then(
        () => 'ran',
        (error: Error) => error.message,
      )

  test.each([
    [
      'trading_quote',
      { input: { token_in_address: 'WETH', token_out_address: 'NOPE', amount_in: '1', slippage_bps: 50 } },
      /token_out_address: one has no token of this name; it has ETH, WETH, USDC/,
    ],
    ['trading_quote', { input: { chain_id: 'mars', token_in_address: 'WETH' } }, /chain_id: no chain of this name/],
    [
      'trading_quote',
      { input: { token_in_address: 'weth', token_out_address: 'USDC', amount_in: '-1', slippage_bps: 50 } },
      /arguments.input.amount_in/,
    ],
    [
      'trading_quote',
      {
        input: { token_in_address: 'weth', token_out_address: 'USDC', amount_in: '1', slippage_bps: 50 },
        confirm: true,
      },
      /confirm: is not an argument/,
    ],
    ['trading_quote', { input: 'all of it' }, /arguments.input/],
    ['trading_getExecution', { execution_id: 'x' }, /execution_id/],
    ['tools_invokeTvl', { tool_name: 'send_money', arguments: {} }, /must be one of tvl_get/],
    ['metrics_positions', { __proto__: null, constructor: 'x' }, /constructor: is not an argument/],
  ])('of %s are checked before anything runs: %j', async (name, input, message) => {
    expect(await refusal(name, input)).toMatch(message)
  })

  test('in plain words are converted to the contract’s values', async () => {
    const feeds: string[] = []
    const price = async (pair: string) => {
      feeds.push(pair)
      return null
    }
    const one = { ...chain, price }
    const parts = { chains: { ...chains, default: one, all: [one] } }
    expect(await refusal('tools_oraclePrice', { pair: 'weth' }, parts)).toMatch(/one has no price feed of ETH\/USD/)
    expect(await refusal('tools_oraclePrice', { pair: 'BTC/USD', chain: '7' }, parts)).toMatch(/BTC\/USD/)
    expect(feeds).toEqual(['ETH/USD', 'BTC/USD'])
  })
})

describe('the limits of an answer', () => {
  const waiting = () => {
    const { promise: started, resolve } = Promise.withResolvers<AbortSignal>()
    const all = async (signal: AbortSignal) => {
      resolve(signal)
      return await new Promise<never>(() => {})
    }
    return { started, parts: { providers: { tvl: { chains: all } } } }
  }

  test('stopping a reply aborts the call to the provider, and does not wait for work that ignores its signal', async () => {
    const { started, parts } = waiting()
    const stop = new AbortController()
    const run = toolsOf(parts, stop.signal).get('metrics_tvl')?.run({ mode: 'tvlfeed' })
    const signal = await started
    stop.abort()
    await expect(run).rejects.toBe(stop.signal.reason)
    expect(signal.aborted).toBe(true)
  })

  test('calls over the limit fail and store no events', async () => {
    const events: unknown[] = []
    const store: StoreEvent = async ({ facts }) => events.push(facts?.event) > 0
    const list = limitedTools(
      reportingTools(toolsOf(), store, async () => null),
      fail,
    ).get('trading_listChains')
    for (let call = 0; call < toolBounds.calls; call += 1) await list?.run({})
    await expect(list?.run({})).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' })
    expect(events).toEqual(Array.from({ length: toolBounds.calls }, () => ['tool_started', 'tool_result']).flat())
  })

  test('calls after the time limit fail', async () => {
    let now = 0
    const clock = clockAt(() => new Date(now))
    const price = async () => {
      now += toolBounds.answerMs
      return null
    }
    const slow = { ...chain, price }
    const tools = toolsOf({ clock, chains: { ...chains, default: slow, all: [slow] } })
    await expect(tools.get('tools_oraclePrice')?.run({ pair: 'ETH/USD' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(tools.get('trading_listChains')?.run({})).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' })
  })
})
