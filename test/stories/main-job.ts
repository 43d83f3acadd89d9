import { decodeFunctionResult, encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { expect } from 'vitest'
import { addresses } from '../../src/sandbox/deploy/addresses.ts'
import { type Account, newAccount } from '../accounts.ts'
import { type Client, eventsOf, output, type Protocol, refusalOf } from '../clients/client.ts'
import type { Clients } from '../clients/clients.ts'

const other: Record<Protocol, Protocol> = { rest: 'trpc', trpc: 'grpc', grpc: 'rest' }

/** What the story needs of a world: a gateway, and what is true on its chain. */
export type Ground = {
  urls: { http: string }
  clients: Clients
  askChain(method: string, params: unknown[]): Promise<unknown>
  /** False where the starting money comes from elsewhere than the gateway, which then notes none; true unless given. */
  grants?: boolean
}

/** The same story on every protocol: what a trader does, from registration to the end of the session. */
export async function mainJob(ground: Ground, protocol: Protocol): Promise<void> {
  const client = ground.clients[protocol]
  const ada = await newAccount(client)
  await chats(ground, client, ada)
  await weighs(client, ada)
  const trade = await buys(ground, client, ada)
  await sells(client, ada)
  const page = await fetch(`${ground.urls.http}/explorer/tx/${trade.tx_hash}`)
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining(trade.tx_hash)])
  await logsOut(ground, client, ada)
}

/** Calls that need the starting money wait for it, so that afterwards the wallet is funded. */
async function chats({ grants = true }: Ground, client: Client, { token }: Account): Promise<void> {
  const say = (content: string) => ({ messages: [{ role: 'user', content }] })
  const balance = await output(client.call('chat.send', say('what is my balance?'), token))
  expect(balance.messages.at(-1).content).toContain('25000 USDC')
  const wallets = await output(client.call('trading.listWallets', {}, token))
  expect(wallets).toMatchObject([{ wallet_ref: 'default', funded: grants }])

  const pieces = await eventsOf(client.stream('chat.stream', say('quote 1 WETH to USDC'), token))
  expect(pieces.length).toBeGreaterThanOrEqual(2)
  const { messages } = await output(client.call('chat.history', {}, token))
  expect(messages).toHaveLength(4)
  expect(pieces.map(({ content }) => content).join('')).toBe(messages.at(-1).content)
}

async function weighs(client: Client, { token, swap, address }: Account): Promise<void> {
  const assess = async (symbol: string) => {
    const quote = await output(client.call('trading.quote', { input: swap('WETH', symbol, '0.5') }, token))
    const checks = { chain: 'evm', addresses: [address(symbol)], checks: ['rug', 'whale_flow', 'price_sanity'] }
    return { quote, risk: await output(client.call('trading.assessRisk', { quote, input: checks }, token)) }
  }
  const usdc = await assess('USDC')
  expect(Number(usdc.quote.expected_out)).toBeGreaterThan(1_400)
  expect(usdc.risk).toMatchObject({ level: 'low' })
  const rug = await assess('RUG')
  expect(rug.risk).toMatchObject({
    level: 'high',
    checks: expect.arrayContaining([expect.objectContaining({ name: 'rug', result: 'fail' })]),
  })
  const trial = { input: { ...swap('WETH', 'USDC', '0.5'), simulate_only: true } }
  expect(await output(client.call('trading.execute', trial, token))).toMatchObject({ status: 'simulated' })
}

async function buys(ground: Ground, client: Client, ada: Account) {
  const { token } = ada
  const wethBefore = await quantity(client, ada, 'WETH')
  const usdcBefore = await quantity(client, ada, 'USDC')
  const quote = await output(client.call('trading.quote', { input: ada.swap('WETH', 'USDC', '0.5') }, token))
  const request = ada.trade('WETH', 'USDC', '0.5', 'buy', { quote_id: quote.quote_id })
  const trade = await output(client.call('trading.execute', request, token))
  expect(trade).toMatchObject({ status: 'success', amount_out: expect.any(String) })
  const asBooked = async () => {
    expect((await quantity(client, ada, 'USDC')) - usdcBefore).toBe(units(trade.amount_out))
    expect(wethBefore - (await quantity(client, ada, 'WETH'))).toBe(units('0.5'))
  }
  await asBooked()

  // The same request returns the same trade, on this protocol and on another; another request with the key is refused.
  for (const again of [client, ground.clients[other[client.protocol]]]) {
    const replay = await again.call('trading.execute', request, token)
    expect(replay).toMatchObject({ ok: true, output: { execution_id: trade.execution_id, tx_hash: trade.tx_hash } })
    expect(replay.headers['idempotent-replayed']).toBe('true')
  }
  const changed = { ...request, input: { ...request.input, amount_in: '0.4' } }
  expect(await client.call('trading.execute', changed, token)).toMatchObject({ ok: false, code: 'ALREADY_EXISTS' })
  await asBooked()
  for (const router of [addresses.v2Router, addresses.v3Router])
    expect(await allowance(ground, ada.address('WETH'), ada.wallet, router)).toBe(0n)

  const shown = await output(client.call('trading.getExecution', { execution_id: trade.execution_id }, token))
  expect(shown).toMatchObject({
    state: expect.stringMatching(/^(included|safe|finalized)$/),
    fill: { amount_in: '0.5', amount_out: trade.amount_out },
  })
  const volume = await output(client.call('metrics.volume', {}, token))
  expect(volume.total_volume_usd, 'what it brought').toBeCloseTo(Number(trade.amount_out), 6)
  return trade
}

/** Sells back and watches; only two pool fees and the gas are lost, because the price did not change. */
async function sells(client: Client, ada: Account): Promise<void> {
  const { token } = ada
  const selling = output(client.call('trading.execute', ada.trade('USDC', 'WETH', '1000', 'sell'), token))
  let newest: { idempotency_key?: string; execution_id?: string } = {}
  for (const deadline = Date.now() + 120_000; newest.idempotency_key !== 'sell' && Date.now() < deadline; )
    newest = (await output(client.call('trading.listExecutions', { limit: 1 }, token))).items[0]
  const watch = { execution_id: newest.execution_id }
  const events = await eventsOf(client.stream('trading.watchExecution', watch, token))
  expect(events.at(-1)).toMatchObject({ state: 'included', status: 'success', idempotency_key: 'sell' })
  const steps = events.map(({ id }) => Number(id.split(':')[1]))
  expect(steps).toEqual([...new Set(steps)].sort((left, right) => left - right))
  const late = client.stream('trading.watchExecution', { ...watch, last_event_id: events.at(-1).id }, token)
  expect(await eventsOf(late)).toEqual([])
  expect(await selling).toMatchObject({ status: 'success', execution_id: newest.execution_id })

  const listed = await output(client.call('trading.listExecutions', { limit: 1 }, token))
  expect(listed).toMatchObject({ items: [{ idempotency_key: 'sell' }], next_cursor: expect.any(String) })
  for (const cursor of ['', 'nonsense', crypto.randomUUID()])
    expect(await client.call('trading.listExecutions', { limit: 1, cursor }, token)).toMatchObject({
      code: 'INVALID_ARGUMENT',
      violations: [{ path: 'cursor' }],
    })
  const next = await output(client.call('trading.listExecutions', { limit: 1, cursor: listed.next_cursor }, token))
  expect(next).toMatchObject({ items: [{ idempotency_key: 'buy' }], next_cursor: null })
  const { total_volume_usd } = await output(client.call('metrics.volume', { agent: 'trading_team' }, token))
  expect(total_volume_usd, 'what the sales brought').toBeGreaterThan(2_490)
  expect(total_volume_usd).toBeLessThan(2_501)
  const { realized_pnl_usd } = await output(client.call('metrics.realizedPnl', {}, token))
  const { unrealized_pnl_usd } = await output(client.call('metrics.unrealizedPnl', {}, token))
  expect(realized_pnl_usd).not.toBe(0)
  expect(realized_pnl_usd + unrealized_pnl_usd).toBeLessThan(0)
  expect(realized_pnl_usd + unrealized_pnl_usd).toBeGreaterThan(-10)
  expect((await output(client.call('metrics.tvl', {}, token))).tvl_usd).toBeGreaterThan(90_000)
}

/** A deleted session is invalid at once on every protocol, for calls and for streams. */
async function logsOut({ clients }: Ground, client: Client, { token, userToken, sessionId }: Account): Promise<void> {
  expect(await client.call('auth.deleteSession', { session_id: sessionId }, userToken)).toMatchObject({ ok: true })
  for (const every of [clients.rest, clients.trpc, clients.grpc]) {
    expect(await every.call('chat.history', {}, token)).toMatchObject({ ok: false, code: 'UNAUTHENTICATED' })
    const stream = every.stream('chat.stream', { messages: [{ role: 'user', content: 'hello' }] }, token)
    expect(await refusalOf(stream)).toMatchObject({ code: 'UNAUTHENTICATED' })
  }
}

/** The account's balance of a token, in units of 1e-18. */
async function quantity(client: Client, { token }: Account, symbol: string): Promise<bigint> {
  const [position] = await output(client.call('metrics.positions', { token_symbol: symbol }, token))
  return units(position?.quantity_decimal ?? '0')
}

function units(decimal: string): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.')
  return BigInt(whole + fraction.padEnd(18, '0').slice(0, 18))
}

async function allowance({ askChain }: Ground, token: string, owner: string, spender: Hex): Promise<bigint> {
  const asked = { abi: erc20Abi, functionName: 'allowance' } as const
  const data = encodeFunctionData({ ...asked, args: [owner as Hex, spender] })
  return decodeFunctionResult({
    ...asked,
    data: (await askChain('eth_call', [{ to: token, data }, 'latest'])) as Hex,
  })
}
