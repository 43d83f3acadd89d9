import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Asker, type Gateway, type Outcome, openGateway } from './gateway.ts'

let gateway: Gateway
beforeAll(async () => {
  gateway = await openGateway()
})
afterAll(async () => await gateway[Symbol.asyncDispose]())

type Protocol = keyof Gateway['ask']
const protocols: Protocol[] = ['rest', 'trpc', 'grpc']
const other: Record<Protocol, Protocol> = { rest: 'trpc', trpc: 'grpc', grpc: 'rest' }
let people = 0

/** The output, with fields as the test knows them to be. */
// biome-ignore lint/suspicious/noExplicitAny: answers of every operation pass through here
function output(outcome: Outcome): any {
  if (!outcome.ok) throw new Error(`${outcome.code}: ${outcome.message}`)
  return outcome.output
}

async function account(ask: Asker) {
  people += 1
  const user = output(
    await ask('auth.register', { email: `story${people}@example.com`, password: 'correct horse battery' }),
  )
  const session = output(await ask('auth.createSession', {}, user.token.access_token))
  const token: string = session.token.access_token
  const [chain] = output(await ask('trading.listChains', {}, token))
  const address = (symbol: string) => chain.tokens.find((item: { symbol: string }) => item.symbol === symbol).address
  const swap = (from: string, to: string, amount_in: string) => ({
    chain_id: chain.chain_id,
    token_in_address: address(from),
    token_out_address: address(to),
    amount_in,
    amount_in_currency: 'token_units',
    slippage_bps: 50,
  })
  return { userToken: user.token.access_token as string, token, sessionId: session.session_id as string, swap, address }
}

/** Subtracts exactly, in units of 1e-18. */
function minus(left: string, right: string): bigint {
  const units = (text: string) => {
    const [whole = '0', fraction = ''] = text.replace('-', '').split('.')
    const value = BigInt(whole) * 10n ** 18n + BigInt(fraction.padEnd(18, '0').slice(0, 18))
    return text.startsWith('-') ? -value : value
  }
  return units(left) - units(right)
}

describe.each(protocols)('the main job over %s', (protocol) => {
  test('from registration to profit', async () => {
    const ask = gateway.ask[protocol]
    const { token, userToken, swap, sessionId } = await account(ask)
    const quantity = async (symbol: string): Promise<string> =>
      output(await ask('metrics.positions', { token_symbol: symbol }, token)).at(0)?.quantity_decimal ?? '0'

    // What needs the wallet's starting money waits for it.
    const balance = output(
      await ask('chat.send', { messages: [{ role: 'user', content: 'what is my balance?' }] }, token),
    )
    expect(balance.messages.at(-1).content).toContain('25000 USDC')
    expect(output(await ask('trading.listWallets', {}, token))).toMatchObject([{ wallet_ref: 'default', funded: true }])
    expect(output(await ask('chat.history', {}, token)).messages).toHaveLength(2)

    const quote = output(await ask('trading.quote', { input: swap('WETH', 'USDC', '0.5') }, token))
    expect(Number(quote.expected_out)).toBeGreaterThan(1_400)
    const given = { chain: 'evm', addresses: quote.route, checks: ['rug', 'whale_flow', 'price_sanity'] }
    expect(output(await ask('trading.assessRisk', { quote, input: given }, token))).toMatchObject({ level: 'low' })
    const tried = output(
      await ask('trading.execute', { input: { ...swap('WETH', 'USDC', '0.5'), simulate_only: true } }, token),
    )
    expect(tried).toMatchObject({ status: 'simulated' })

    const wethBefore = await quantity('WETH')
    const usdcBefore = await quantity('USDC')
    const request = {
      input: { ...swap('WETH', 'USDC', '0.5'), simulate_only: false },
      confirm: true,
      wallet_ref: 'default',
      idempotency_key: 'buy',
      quote_id: quote.quote_id,
    }
    const trade = output(await ask('trading.execute', request, token))
    expect(trade).toMatchObject({ status: 'success', amount_out: expect.any(String) })
    expect(minus(await quantity('USDC'), usdcBefore)).toBe(minus(trade.amount_out, '0'))
    expect(minus(wethBefore, await quantity('WETH'))).toBe(minus('0.5', '0'))

    // The same request is the same trade, on this protocol and on another.
    for (const again of [ask, gateway.ask[other[protocol]]]) {
      const replay = await again('trading.execute', request, token)
      expect(output(replay)).toMatchObject({ execution_id: trade.execution_id, tx_hash: trade.tx_hash })
      expect(replay.headers['idempotent-replayed']).toBe('true')
    }
    const changed = { ...request, input: { ...request.input, amount_in: '0.4' } }
    expect(await ask('trading.execute', changed, token)).toMatchObject({ ok: false, code: 'ALREADY_EXISTS' })
    expect(minus(await quantity('USDC'), usdcBefore)).toBe(minus(trade.amount_out, '0'))

    expect(output(await ask('metrics.volume', {}, token)).total_volume_usd).toBeCloseTo(1_500, 0)
    const sell = {
      input: { ...swap('USDC', 'WETH', '1000'), simulate_only: false },
      confirm: true,
      wallet_ref: 'default',
      idempotency_key: 'sell',
    }
    expect(output(await ask('trading.execute', sell, token))).toMatchObject({ status: 'success' })
    expect(output(await ask('metrics.volume', { agent: 'trading_team' }, token)).total_volume_usd).toBeCloseTo(2_500, 0)
    // Two fees of 0.05 % and the gas are all that was lost: the price did not move.
    const realized = output(await ask('metrics.realizedPnl', {}, token)).realized_pnl_usd
    const unrealized = output(await ask('metrics.unrealizedPnl', {}, token)).unrealized_pnl_usd
    expect(realized + unrealized).toBeLessThan(0)
    expect(realized + unrealized).toBeGreaterThan(-10)
    expect(output(await ask('metrics.tvl', {}, token)).tvl_usd).toBeGreaterThan(90_000)

    const listed = output(await ask('trading.listExecutions', { limit: 1 }, token))
    expect(listed).toMatchObject({
      items: [{ idempotency_key: 'sell', state: 'included' }],
      next_cursor: expect.any(String),
    })
    const page = await fetch(`${gateway.urls.http}/explorer/tx/${trade.tx_hash}`)
    expect(page.status).toBe(200)
    expect(await page.text()).toContain(trade.tx_hash)

    // A deleted session is dead at once, everywhere.
    expect(await ask('auth.deleteSession', { session_id: sessionId }, userToken)).toMatchObject({ ok: true })
    for (const every of Object.values(gateway.ask)) {
      expect(await every('chat.history', {}, token)).toMatchObject({ ok: false, code: 'UNAUTHENTICATED' })
    }
  })

  test('the bad token is refused, and a trade that would fail says why', async () => {
    const ask = gateway.ask[protocol]
    const { token, swap } = await account(ask)
    const real = { confirm: true, wallet_ref: 'default' }
    const rug = { ...real, input: { ...swap('WETH', 'RUG', '0.01'), simulate_only: false }, idempotency_key: 'rug' }
    const refused = output(await ask('trading.execute', rug, token))
    expect(refused).toMatchObject({ status: 'rejected', risk: { level: 'high' } })
    const tooMuch = {
      ...real,
      input: { ...swap('USDC', 'WETH', '90000'), simulate_only: false },
      idempotency_key: 'much',
    }
    expect(output(await ask('trading.execute', tooMuch, token)).message).toMatch(/holds 25000 USDC.*needs 90000 USDC/)
    // A refusal uses no key up.
    const less = { ...tooMuch, input: { ...swap('USDC', 'WETH', '90'), simulate_only: false } }
    expect(output(await ask('trading.execute', less, token))).toMatchObject({ status: 'success' })
  })

  test('what is not built says so, and a request id comes back', async () => {
    const ask = gateway.ask[protocol]
    const { token } = await account(ask)
    const answer = await ask('tools.listTvl', {}, token, 'my-own-id')
    expect(answer).toMatchObject({ ok: false, code: 'UNIMPLEMENTED', headers: { 'x-request-id': 'my-own-id' } })
  })
})

test('nobody reads or moves what is not theirs', async () => {
  const ask = gateway.ask.rest
  const ada = await account(ask)
  const eve = await account(ask)
  const request = {
    input: { ...ada.swap('WETH', 'USDC', '0.1'), simulate_only: false },
    confirm: true,
    wallet_ref: 'default',
    idempotency_key: 'shared-name',
  }
  const trade = output(await ask('trading.execute', request, ada.token))
  const quote = output(await ask('trading.quote', { input: ada.swap('WETH', 'USDC', '0.1') }, ada.token))
  for (const foreign of Object.values(gateway.ask)) {
    const tries = [
      foreign('trading.getExecution', { execution_id: trade.execution_id }, eve.token),
      foreign('auth.deleteSession', { session_id: ada.sessionId }, eve.userToken),
      foreign('auth.renameSession', { session_id: ada.sessionId, name: 'mine' }, eve.userToken),
    ]
    for (const outcome of await Promise.all(tries)) expect(outcome).toMatchObject({ ok: false, code: 'NOT_FOUND' })
    const theirs = { ...request, quote_id: quote.quote_id, idempotency_key: `steal-${people++}` }
    expect((await foreign('trading.execute', theirs, eve.token)).ok).toBe(false)
  }
  expect(output(await ask('trading.listExecutions', {}, eve.token)).items).toEqual([])
  expect(output(await ask('metrics.volume', {}, eve.token)).total_volume_usd).toBe(0)
})

test('simultaneous requests with one key on three protocols are one trade', async () => {
  const { token, swap } = await account(gateway.ask.rest)
  const request = {
    input: { ...swap('WETH', 'USDC', '0.2'), simulate_only: false },
    confirm: true,
    wallet_ref: 'default',
    idempotency_key: 'at-once',
  }
  const outcomes = await Promise.all(
    protocols.flatMap((protocol) => [1, 2].map(() => gateway.ask[protocol]('trading.execute', request, token))),
  )
  expect(new Set(outcomes.map((outcome) => output(outcome).tx_hash)).size).toBe(1)
  expect(outcomes.filter(({ headers }) => headers['idempotent-replayed'] === 'true')).toHaveLength(5)
  expect(output(await gateway.ask.rest('trading.listExecutions', {}, token)).items).toHaveLength(1)
})
