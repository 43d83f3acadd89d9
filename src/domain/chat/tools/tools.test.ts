import { describe, expect, expectTypeOf, test } from 'vitest'
import { operations } from '../../../contract/index.ts'
import type { AssistantTool } from '../../ports/assistant.ts'
import type { Ports } from '../../ports/index.ts'
import { type PutEvent, toldTools } from '../write-events.ts'
import { limitedTools, toolBounds } from './tool-budget.ts'
import { chatTools, type ToolPorts } from './tools.ts'

const caller = { userId: 1, sessionId: 'session' }
const never = new AbortController().signal

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

/** The tools over a world of which only the chains and the clock are there, and what is given. */
function toolsOf(parts: object = {}, stopped = never): ReadonlyMap<string, AssistantTool> {
  const clock = { now: () => new Date(0) }
  return chatTools({ chains, clock, ...parts } as unknown as Pick<Ports, ToolPorts>, caller, stopped)
}

/** What asks for facts by POST; every other tool is a GET. */
const asked = [
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
  test('is what may be looked up, and nothing of the contract that changes something', () => {
    const tools = [...toolsOf().values()]
    const offered = tools.map(({ operation }) => operation)
    const read = operations().filter(([, { http, kind }]) => http?.method === 'GET' && kind === 'unary')
    const harmless = new Set<string>([...asked, ...read.map(([id]) => id)])
    expect(offered.filter((id) => !harmless.has(id))).toEqual([])
    expect(tools.map(({ name }) => name).sort()).toEqual([
      ...['metrics_positions', 'metrics_realizedPnl', 'metrics_tvl', 'metrics_unrealizedPnl', 'metrics_volume'],
      ...['research_preview', 'tools_invokeBitcoin', 'tools_invokeExchange', 'tools_invokeTvl', 'tools_oraclePrice'],
      ...['tools_walletBalance', 'trading_assessRisk', 'trading_getExecution', 'trading_listChains'],
      ...['trading_listExecutions', 'trading_listWallets', 'trading_previewIntent', 'trading_quote'],
    ])
  })

  test('has nothing at hand that signs or sends', () => {
    expectTypeOf<Extract<ToolPorts, 'sender' | 'signer' | 'sequencing' | 'node' | 'halts' | 'tokens'>>().toBeNever()
  })

  test.each([...toolsOf().values()])(
    '$name says what it takes in one piece',
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
  const refusal = async (name: string, said: Record<string, unknown>, parts?: object) =>
    await toolsOf(parts)
      .get(name)
      ?.run(said)
      .then(
        () => 'ran',
        (error: Error) => error.message,
      )

  test.each([
    [
      'trading_quote',
      { input: { token_in_address: 'WETH', token_out_address: 'NOPE', amount_in: '1', slippage_bps: 50 } },
      /token_out_address: no token of one is called that; it has ETH, WETH, USDC/,
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
  ])('of %s are checked before anything runs: %j', async (name, said, words) => {
    expect(await refusal(name, said)).toMatch(words)
  })

  test('that name things in plain words arrive as what the contract wants', async () => {
    const feeds: string[] = []
    const price = async (pair: string) => {
      feeds.push(pair)
      return null
    }
    const one = { ...chain, price }
    const parts = { chains: { ...chains, default: one, all: [one] } }
    expect(await refusal('tools_oraclePrice', { pair: 'weth' }, parts)).toMatch(/No feed of one answers ETH\/USD/)
    expect(await refusal('tools_oraclePrice', { pair: 'BTC/USD', chain: '7' }, parts)).toMatch(/BTC\/USD/)
    expect(feeds).toEqual(['ETH/USD', 'BTC/USD'])
  })
})

describe('what an answer may cost', () => {
  const waiting = () => {
    const { promise: asking, resolve } = Promise.withResolvers<AbortSignal>()
    const all = async (signal: AbortSignal) => {
      resolve(signal)
      return await new Promise<never>(() => {})
    }
    return { asking, parts: { providers: { tvl: { chains: all } } } }
  }

  test('a reply that is stopped stops the question to the provider too, and waits for nothing that does not listen', async () => {
    const { asking, parts } = waiting()
    const stop = new AbortController()
    const run = toolsOf(parts, stop.signal).get('metrics_tvl')?.run({ mode: 'tvlfeed' })
    const signal = await asking
    stop.abort()
    await expect(run).rejects.toBe(stop.signal.reason)
    expect(signal.aborted).toBe(true)
  })

  test('after so many calls there are no more, and none of these is told of', async () => {
    const told: unknown[] = []
    const put: PutEvent = async ({ facts }) => told.push(facts?.event) > 0
    const list = limitedTools(toldTools(toolsOf(), put)).get('trading_listChains')
    for (let call = 0; call < toolBounds.calls; call += 1) await list?.run({})
    await expect(list?.run({})).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' })
    expect(told).toEqual(Array.from({ length: toolBounds.calls }, () => ['tool_started', 'tool_result']).flat())
  })

  test('after so much time there is no more', async () => {
    let now = 0
    const clock = { now: () => new Date(now) }
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
