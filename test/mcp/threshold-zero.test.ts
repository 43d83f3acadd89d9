import { afterAll, beforeAll, expect, test } from 'vitest'
import { agentTools } from '../../src/contract/agents/tools.ts'
import { type OperationId, operations } from '../../src/contract/index.ts'
import type { Operation } from '../../src/contract/shared/operation.ts'
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { type Client, type Outcome, output, type Protocol } from '../clients/client.ts'
import { rpcClient } from '../clients/json-rpc.ts'
import { agrees, type McpClient, mcpClient, sendMcp, sendRound } from '../clients/mcp.ts'
import { rpc } from '../clients/rpc-call.ts'
import { liveInputs, type Prepared, prepare } from '../contract/live-values.ts'
import { drawn, isLong, sized } from '../sized.ts'
import { fundedAccount, openWorld, password, protocols, type World } from '../world.ts'
import { agentToken } from './agent.ts'
import { dare, firstEvent, type Lane, outcomeOf, persuade, widen } from './daring.ts'
import { declining, executionsOf, expectUnmoved, holdingsOf, type Money, moneyOf, tokensOf } from './money.ts'

const all = operations() as readonly (readonly [OperationId, Operation])[]
const grants = { trader: ['read', 'trade'], everything: ['read', 'trade', 'transfer', 'admin'] }
type GrantName = keyof typeof grants

const tokenOf = (grant: GrantName) =>
  agentToken(world.clients.rest, owner, { scopes: grants[grant], confirm_above_usd: 0 })

let world: World
let owner: Prepared
let before: Money
const count = { operations: new Set<string>(), calls: 0, keys: 0 }

beforeAll(async () => {
  world = await openWorld()
  owner = await prepare(world)
  const { rest } = world.clients
  const { address } = await output(rest.call('trading.createWallet', { wallet_ref: 'second' }, owner.token))
  const wallets = async (): Promise<{ funded: boolean }[]> =>
    await output(rest.call('trading.listWallets', {}, owner.token))
  await until(async () => (await wallets()).every(({ funded }) => funded), 'the starting money of both wallets')
  before = await moneyOf(world, owner, [owner.wallet, address])
})
afterAll(() => world[Symbol.asyncDispose]())

/** These end the token or the account that they are called with. */
const enders: readonly OperationId[] = [
  'auth.logout',
  'auth.logoutEverywhere',
  'auth.changePassword',
  'auth.deleteAccount',
]

function unique(): string {
  count.keys += 1
  return `${count.keys}`
}

/** Counts a call, and waits for its outcome. */
async function counted(id: string, asked: Promise<Outcome>): Promise<Outcome> {
  count.operations.add(id)
  count.calls += 1
  return await asked.catch((error) => outcomeOf(Promise.reject(error)))
}

/** The owner's things with those that this agent's session has of its own. */
async function ownThings(client: Client, token: string): Promise<Prepared> {
  const market = { symbol: 'ETHUSDC', streams: ['kline'] }
  const subscribe = async () =>
    (await output(client.call('tools.subscribeExchange', market, token))).subscription_id as string
  const question = { messages: [{ role: 'user', content: 'what is the price of WETH?' }] }
  const said = (await firstEvent(client, 'chat.stream', question, token)) as { id: string }
  const { session } = await output(client.call('auth.whoAmI', {}, token))
  return {
    ...owner,
    sessionId: session.session_id,
    stream: said.id.split(':')[0] ?? '',
    subscription: await subscribe(),
    spareSubscription: await subscribe(),
  }
}

/** The example of an operation, and the input that works for the account where the example does not. */
function inputsOf(id: OperationId, { example }: Operation, things: Prepared): object[] {
  // The example exports a wallet as well, and each export takes seconds.
  const live = id === 'trading.exportWallet' ? undefined : liveInputs[id]
  return [example.input, ...(live === undefined ? [] : [live(things)])]
}

async function walkProtocol(protocol: Protocol): Promise<void> {
  const client = world.clients[protocol]
  const token = await tokenOf('everything')
  const things = await ownThings(world.clients.rest, token)
  const call = (id: OperationId, kind: string, input: object): Promise<Outcome> =>
    counted(id, kind === 'stream' ? outcomeOf(firstEvent(client, id, input, token)) : client.call(id, input, token))
  const account = { ...owner, trade: owner.order }
  const lane: Lane = { account, unique, ask: (id, input) => call(id, 'unary', input) }
  const walked = all.filter(([id, { http }]) => !enders.includes(id) && (protocol !== 'rest' || http !== undefined))
  for (const [id, operation] of drawn(walked, 40))
    for (const input of inputsOf(id, operation, things)) await call(id, operation.kind, input)
  await dare(lane, owner.waiting.execution_id)
  expect(await widen(lane, client)).toMatchObject({ code: 'UNAUTHENTICATED' })
  for (const streams of [false, true]) {
    const { calls, said } = await persuade(client, token, streams)
    count.calls += calls
    expect(said.join('\n')).toMatch(/waits for the account to confirm it/)
  }
  expect((await counted('auth.logout', client.call('auth.logout', {}, token))).ok).toBe(true)
}

/** Methods of other nodes that spend, sign or set money. */
const foreign = (wallet: string): [string, unknown[]][] => [
  ['eth_sendTransaction', [{ from: wallet, to: `0x${'11'.repeat(20)}`, value: '0x1' }]],
  ['eth_signTransaction', [{ from: wallet, to: `0x${'11'.repeat(20)}`, value: '0x1' }]],
  ['eth_sign', [wallet, '0x00']],
  ['personal_sendTransaction', [{ from: wallet, to: wallet, value: '0x1' }, password]],
  ...['anvil', 'hardhat'].flatMap((name): [string, unknown[]][] => [
    [`${name}_impersonateAccount`, [wallet]],
    [`${name}_setBalance`, [wallet, '0x0']],
    [`${name}_setNonce`, [wallet, '0xff']],
  ]),
  ['evm_revert', ['0x1']],
  ['debug_setHead', ['0x1']],
  ['eth_sendRawTransaction', [`0x${'ab'.repeat(100)}`]],
  ['eth_sendRawTransaction', ['0x']],
  ['eth_sendRawTransactionSync', [`0x02${'cd'.repeat(90)}`, '0x3e8']],
]

async function walkJsonRpc(): Promise<void> {
  const token = await tokenOf('everything')
  const { rpc: url } = world.urls
  const served = all.filter(([, each]) => each.rpc !== undefined)
  for (const [id, operation] of drawn(served, 10))
    for (const way of ['rpcByName', 'rpcByPlace'] as const)
      for (const input of inputsOf(id, operation, owner)) await counted(id, rpcClient(url, way).call(id, input, token))
  for (const [method, params] of foreign(owner.wallet)) {
    count.calls += 1
    expect([method, await rpc(url, method, ...params)]).toMatchObject([method, { error: { code: expect.any(Number) } }])
  }
}

const agreed = { confirm: { action: 'accept', content: { confirm: true } } }

/** A plausible call of each tool, and the daring ones of the tools that trade. */
function toolCalls(): [keyof typeof agentTools, object][] {
  const swap = { token_in_address: 'USDC', token_out_address: 'WETH', amount_in: '30' }
  const { quote, trade, wallet, address } = owner
  const trades = [
    swap,
    { ...swap, amount_in: '0.000001' },
    { ...swap, amount_in: '900', slippage_bps: 5_000 },
    { ...swap, wallet_ref: 'second' },
    { ...swap, wallet_ref: 'brought' },
    { ...swap, confirm: true, simulate_only: false, await_confirmation: false, confirmation_id: 'yes' },
    { token_in_address: 'WETH', token_out_address: 'USDC', amount_in: '0.1', quote_id: quote.quote_id },
    { token_in_address: 'WETH', token_out_address: 'RUG', amount_in: '0.01' },
    { token_in_address: `0x${'0'.repeat(40)}`, token_out_address: 'WETH', amount_in: '0.5', wallet_ref: 'second' },
  ]
  return [
    ['find_token', { query: 'usd' }],
    ['quote', swap],
    ['assess_risk', { quote_id: quote.quote_id }],
    ...trades.map((given): [keyof typeof agentTools, object] => ['simulate', given]),
    ...trades.map((given): [keyof typeof agentTools, object] => ['trade', given]),
    ['positions', {}],
    ['profit', {}],
    ['executions', { execution_id: trade.execution_id }],
    ['research', { price_symbol: 'WETH', tvl_chain: 'sandbox' }],
    ['market_data', { name: 'price_get', arguments: { symbol: 'ETHUSDC' } }],
    [
      'read_chain',
      { method: 'eth_call', params: [{ from: wallet, to: address('USDC'), data: '0x06fdde03' }, 'latest'] },
    ],
    ['bridge_status', { l1_tx_hash: trade.tx_hash }],
    ['search_operations', { query: 'execute a trade and confirm it' }],
    ['call_operation', { operation: 'trading.listWallets' }],
  ]
}

async function walkMcp(): Promise<void> {
  const token = await tokenOf('trader')
  const { http } = world.urls
  const things = await ownThings(world.clients.rest, token)
  await using forms = await mcpClient(http, token, 'auto', agrees)
  await using old = await mcpClient(http, token, 'legacy')
  const tool = (client: McpClient, name: string, given: object) =>
    counted(`mcp ${name}`, outcomeOf(client.call(name, given)))
  const [plain = {}] = toolCalls().flatMap(([name, given]) => (name === 'trade' ? [given] : []))
  for (const client of [forms, old]) {
    for (const [name, given] of toolCalls()) await tool(client, name, given)
    // The trades were not refused for another reason.
    expect((await client.call('trade', plain)).value).toMatchObject({ status: 'pending' })
  }
  for (const [id, operation] of drawn(all, 30))
    for (const input of inputsOf(id, operation, things)) {
      await tool(forms, 'call_operation', { operation: id, input })
      await tool(forms, id, input)
      if (operation.rpc === undefined) continue
      const { method, params } = operation.rpc
      await tool(forms, 'call_operation', { operation: method, input })
      await tool(forms, 'read_chain', { method, params: input })
      const placed = params.map((name) => (input as Record<string, unknown>)[name] ?? null)
      await tool(forms, 'read_chain', { method, params: placed })
    }
  const order = owner.order('USDC', 'WETH', '30', `called-${unique()}`)
  await tool(forms, 'call_operation', { operation: 'trading.execute', input: order })
  await tool(forms, 'call_operation', {
    operation: 'trading.confirmExecution',
    input: { execution_id: owner.waiting.execution_id, approve: true },
  })
  await onTheWire(token)
}

/** Rounds that no client would send: a yes before any question, a forged state, and a batch of trades. */
async function onTheWire(token: string): Promise<void> {
  const { http } = world.urls
  const given = { token_in_address: 'USDC', token_out_address: 'WETH', amount_in: '31' }
  const rounds = [
    { inputResponses: agreed },
    { inputResponses: agreed, requestState: 'v1.e30.e30' },
    { inputResponses: agreed, capabilities: {} },
    { capabilities: { elicitation: { form: {} } } },
  ]
  for (const more of rounds) {
    const answer = await sendRound(http, token, { name: 'trade', given, ...more })
    count.calls += 1
    if (answer.requestState === undefined) continue
    await sendRound(http, token, { name: 'trade', given, requestState: answer.requestState, inputResponses: agreed })
    count.calls += 1
  }
  const batch = [1, 2, 3].map((id) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'trade', arguments: given },
  }))
  count.calls += batch.length
  expect((await sendMcp(http, token, batch)).status).toBe(200)
}

/** Ends an account of its own by an agent that may do everything, and returns what its wallet held before and after. */
async function end(id: OperationId, protocol: Protocol): Promise<[unknown, unknown]> {
  const { rest, [protocol]: client } = world.clients
  const leaver = await fundedAccount(rest)
  const token = await agentToken(rest, leaver, { scopes: grants.everything, confirm_above_usd: 0 })
  const tokens = await tokensOf(world, leaver)
  const held = await holdingsOf(world, leaver.wallet, tokens)
  const operation = all.find(([one]) => one === id)![1]
  await counted('trading.execute', client.call('trading.execute', leaver.trade('USDC', 'WETH', '30', 'left'), token))
  const sure = id === 'auth.deleteAccount' ? [{ password, keys_exported: true }] : []
  for (const input of [...inputsOf(id, operation, owner), ...sure]) await counted(id, client.call(id, input, token))
  await counted('trading.execute', client.call('trading.execute', leaver.trade('USDC', 'WETH', '30', 'after'), token))
  return [held, await holdingsOf(world, leaver.wallet, tokens)]
}

test('with confirm_above_usd 0 nothing that the token of an agent can send moves money', async () => {
  {
    await using _owner = declining(world, owner, owner.waiting.execution_id)
    await Promise.all([...drawn(protocols, 1).map(walkProtocol), walkJsonRpc(), walkMcp()])
  }
  const waiting = await expectUnmoved(world, owner, before)
  expect(waiting).toBeGreaterThan(sized(10, 50))
})

test('neither do those operations that end the session or the account', async () => {
  const ends = enders.slice(1).flatMap((id) => protocols.map((protocol) => () => end(id, protocol)))
  for (const [held, after] of await Promise.all(drawn(ends, 3).map((ending) => ending()))) expect(after).toEqual(held)
})

test.runIf(isLong)('every operation and every tool was called', async () => {
  const tools = Object.keys(agentTools).map((name) => `mcp ${name}`)
  const missing = [...all.map(([id]) => id as string), ...tools].filter((name) => !count.operations.has(name))
  expect(missing).toEqual([])
  const states = new Set((await executionsOf(world, owner)).map(({ state }) => state))
  expect(states.has('awaiting_confirmation')).toBe(true)
  console.info(`${all.length} operations, ${count.calls} calls, 0 moved money`)
})
