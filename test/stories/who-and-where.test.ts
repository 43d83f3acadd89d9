import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { until } from '../../src/sandbox/fixtures/testing.ts'
import { eventsOf, output } from '../clients/client.ts'
import { rpc } from '../clients/rpc-call.ts'
import { operatorToken } from '../operator-token.ts'
import { fundedAccount, newAccount, openWorld, password, protocols, type World } from '../world.ts'

type Block = { hash: string; timestamp: string }

let world: World
beforeAll(async () => {
  world = await openWorld({ MAX_TRADE_USD: '250.5', TRADE_CHAINS: '84532', TRADE_VENUES: 'uniswap_v3,wrapped_native' })
})
afterAll(async () => await world[Symbol.asyncDispose]())

describe.each(protocols)('over %s', (protocol) => {
  test('a token says whose it is, of which session, and until when', async () => {
    const client = world.clients[protocol]
    const { email, userToken, token, sessionId } = await newAccount(client)
    await output(client.call('auth.renameSession', { session_id: sessionId, name: 'Desk' }, token))
    const asked = (by: string) => output(client.call('auth.whoAmI', {}, by))
    const [user, session] = [await asked(userToken), await asked(token)]
    const account = { email, created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) }
    expect(user).toEqual({ kind: 'user', expires_at: expect.any(String), account, session: null })
    expect(session).toEqual({
      kind: 'session',
      expires_at: expect.any(String),
      account: user.account,
      session: { session_id: sessionId, name: 'Desk' },
    })
    expect(Math.abs(Date.parse(user.account.created_at) - Date.now())).toBeLessThan(60_000)
    const again = await output(client.call('auth.login', { username: email, password }))
    expect((await asked(again.access_token)).expires_at).toBe(again.expires_at)
    await output(client.call('auth.deleteSession', { session_id: sessionId }, userToken))
    expect(await client.call('auth.whoAmI', {}, token)).toMatchObject({ ok: false, code: 'UNAUTHENTICATED' })
  })

  test('without a token it is refused', async () => {
    expect(await world.clients[protocol].call('auth.whoAmI', {})).toMatchObject({ ok: false, code: 'UNAUTHENTICATED' })
  })

  test('the gateway says without a token what it is, and no address of its host', async () => {
    const client = world.clients[protocol]
    const info = await output(client.call('system.info', {}))
    const [chain] = await output(client.call('trading.listChains', {}, (await newAccount(client)).token))
    expect(info).toEqual({
      version: manifest.version,
      sandbox: true,
      block_seconds: 1,
      chains: [{ chain_id: chain.chain_id, name: chain.name }],
      protocols: ['rest', 'trpc', 'grpc', 'jsonrpc', 'mcp'],
    })
    expect(JSON.stringify(info)).not.toMatch(/127\.0\.0\.1|localhost|http/)
  })

  test('a chain says that it is halted, by itself or with everything, and each halt says since when', async () => {
    const client = world.clients[protocol]
    const { token, wallet } = await newAccount(client)
    const halted = async () => {
      const chains = await output(client.call('trading.listChains', {}, token))
      return chains.map((chain: { halted: boolean }) => chain.halted)
    }
    const change = (id: 'operator.haltTrading' | 'operator.resumeTrading', halt: object) =>
      output(client.call(id, halt, operatorToken))
    const { chain_id } = (await output(client.call('system.info', {}))).chains[0]
    const known = [{ scope: 'global' }, { scope: 'chain', id: String(chain_id) }]
    expect(await halted()).toEqual([false])
    for (const [halt, isHalted] of [
      ...known.map((each) => [each, true] as const),
      [{ scope: 'wallet', id: wallet }, false] as const,
    ]) {
      const before = Date.now()
      const { halts } = await change('operator.haltTrading', halt)
      expect(halts).toMatchObject([{ scope: halt.scope, created_at: expect.stringMatching(/Z$/) }])
      expect(Date.parse(halts[0].created_at)).toBeGreaterThanOrEqual(before)
      expect(Date.parse(halts[0].created_at)).toBeLessThanOrEqual(Date.now())
      expect(await output(client.call('operator.listHalts', {}, operatorToken))).toEqual({ halts })
      expect(await halted()).toEqual([isHalted])
      expect(await change('operator.resumeTrading', halt)).toEqual({ halts: [] })
      expect(await halted()).toEqual([false])
    }
  })

  test('an operator reads the newest block of the chain and the health of its node', async () => {
    const { chains } = await output(world.clients[protocol].call('operator.chainHealth', {}, operatorToken))
    const [{ head_number, head_hash, head_at, age_seconds, upstreams }] = chains
    expect(chains).toMatchObject([{ chain_id: 84_532, name: 'sandbox', stale: false }])
    expect(upstreams).toEqual([{ name: 'embedded', healthy: true, latency_ms: expect.any(Number) }])
    const block = (await world.askChain('eth_getBlockByNumber', [`0x${head_number.toString(16)}`, false])) as Block
    expect(head_hash).toBe(block.hash)
    expect(Date.parse(head_at)).toBe(Number(block.timestamp) * 1_000)
    expect(Math.abs(Date.now() - Date.parse(head_at) - age_seconds * 1_000)).toBeLessThan(3_000)
  })

  test('an operator reads the limits of every account; what has no limit says so', async () => {
    const { tokens = [], ...caps } = await output(world.clients[protocol].call('operator.getCaps', {}, operatorToken))
    expect(tokens).toEqual([]) // protobuf has no absent list
    expect(caps).toEqual({
      trading_enabled: true,
      max_trade_usd: '250.5',
      max_daily_usd: null,
      venues: ['uniswap_v3', 'wrapped_native'],
      chains: [84_532],
    })
  })

  test('the event of a tool says where its data came from, where the result does', async () => {
    const client = world.clients[protocol]
    const { token } = await newAccount(client)
    const resultOf = async (content: string) => {
      const messages = [{ role: 'user', content }]
      const events = await eventsOf(client.stream('chat.stream', { messages, events: true }, token))
      return events.find(({ event }) => event === 'tool_result')
    }
    const price = await resultOf('What is ETH worth?')
    const { source } = await output(client.call('tools.oraclePrice', { pair: 'ETH/USD', chain: 'sandbox' }, token))
    expect(price).toMatchObject({ tool: 'tools_oraclePrice', ok: true, source })
    expect(source).toMatch(/sandbox/)
    const quoted = await resultOf('quote 1 WETH to USDC')
    expect(quoted).toMatchObject({ tool: 'trading_quote', ok: true })
    expect(quoted).not.toHaveProperty('source')
  })
})

test('while no block is made an operator sees on every protocol who waits, since when and for what', async () => {
  const { rest } = world.clients
  const ada = await fundedAccount(rest)
  const queues = () =>
    Promise.all(
      protocols.map(async (protocol) => {
        const { queues } = await output(world.clients[protocol].call('operator.listQueues', {}, operatorToken))
        return queues
      }),
    )
  await until(async () => (await queues()).flat().length === 0, 'earlier payments')
  await rpc(world.urls.rpc, 'admin_stopSequencer')
  const before = Date.now()
  const claim = await output(rest.call('chain.claimFaucet', { address: `0x${'5a'.repeat(20)}` }))
  const trade = rest.call('trading.execute', ada.trade('WETH', 'USDC', '0.01', 'waits'), ada.token)
  await until(async () => (await queues())[0].length === 2, 'the trade to wait')
  const [first, ...others] = await queues()
  expect(others).toEqual([first, first])
  const since = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]+\.\d{3}Z$/)
  expect(first).toEqual([
    {
      chain_id: 84_532,
      sender: expect.any(String),
      waiting: 1,
      oldest: { purpose: 'faucet_payment', nonce: expect.any(Number), waiting_since: since },
    },
    {
      chain_id: 84_532,
      sender: ada.wallet,
      waiting: 2,
      oldest: { purpose: 'trade', nonce: Number(await nonceOf(ada.wallet)), waiting_since: since },
    },
  ])
  const after = Date.now()
  const times = first.map(({ oldest }: { oldest: { waiting_since: string } }) => Date.parse(oldest.waiting_since))
  expect([before, ...times, after]).toEqual([before, ...times, after].sort((a, b) => a - b))
  // The rule of /health/ready, after five block times of a second.
  await until(async () => (await fetch(`${world.urls.http}/health/ready`)).status === 503, 'the block to be stale')
  for (const protocol of protocols)
    expect(await output(world.clients[protocol].call('operator.chainHealth', {}, operatorToken))).toMatchObject({
      chains: [{ stale: true, upstreams: [{ name: 'embedded', healthy: true }] }],
    })
  await rpc(world.urls.rpc, 'admin_startSequencer')
  expect(await output(trade)).toMatchObject({ status: expect.stringMatching(/success|pending/) })
  await until(async () => (await queues()).flat().length === 0, 'the queues to end')
  expect((await output(rest.call('chain.faucetClaim', { tx_hash: claim.txHash }))).status).toBe('success')
})

const nonceOf = async (wallet: string) => await world.askChain('eth_getTransactionCount', [wallet, 'latest'])
