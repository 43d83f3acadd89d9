import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, output } from '../clients/client.ts'
import { fundedAccount, openWorld, protocols, type World } from '../world.ts'

let world: World
beforeAll(async () => {
  // It buys a token whose trades the risk checks of other tests count.
  world = await openWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

/** An account, and a session of it with a name, a daily cap and a threshold of zero. */
async function withAgent(client: Client) {
  const account = await fundedAccount(client)
  const grant = { scopes: ['read', 'trade'], confirm_above_usd: 0, max_daily_usd: 200 }
  const session = await output(client.call('auth.createSession', { grant }, account.userToken))
  const named = { session_id: session.session_id, name: 'Market agent' }
  await output(client.call('auth.renameSession', named, account.userToken))
  return { account, sessionId: session.session_id as string, agent: session.token.access_token as string }
}

describe.each(protocols)('over %s', (by) => {
  test('a trade that waits shows who asks, what it is worth and what it risks', async () => {
    const client = world.clients[by]
    const { account, sessionId, agent } = await withAgent(client)
    const waits = async (key: string, from: string, to: string, amount: string, more = {}) => {
      const asked = await output(client.call('trading.execute', account.trade(from, to, amount, key, more), agent))
      const id = { execution_id: asked.execution_id as string }
      return { id, shown: await output(client.call('trading.getExecution', id, account.token)) }
    }
    const fair = await waits('fair', 'USDC', 'WETH', '30')
    expect(fair.shown.awaits).toMatchObject({
      session: { session_id: sessionId, name: 'Market agent' },
      chain_id: fair.shown.chain_id,
      chain_name: expect.stringMatching(/./),
      value_usd: expect.closeTo(30, 0),
      value_usd_decimal: expect.stringMatching(/^(29|30)\.\d+$|^30$/),
      price_deviation_bps: expect.any(Number),
      price_impact_bps: expect.any(Number),
      slippage_bps: 50,
      minimum_out: fair.shown.minimum_out,
      risk: { level: expect.stringMatching(/low|medium/), checks: expect.any(Array) },
      risk_skipped: false,
      caps_left_usd: { session_daily: 200 },
    })
    const bad = await waits('bad', 'USDC', 'RUG', '50', { skip_risk: true })
    expect(bad.shown.awaits).toMatchObject({ risk: { level: 'high' }, risk_skipped: true })
    expect(bad.shown.awaits.risk.reasons.length).toBeGreaterThan(0)

    // Once a trade of the session was made, its cap leaves less; its name is the one of now.
    const approve = { ...fair.id, approve: true }
    expect(await output(client.call('trading.confirmExecution', approve, account.userToken))).toMatchObject({
      status: 'success',
    })
    const other = { session_id: sessionId, name: 'Other' }
    await output(client.call('auth.renameSession', other, account.userToken))
    const { items } = await output(client.call('trading.listExecutions', { status: 'pending' }, account.token))
    expect(items).toHaveLength(1)
    expect(items[0].awaits.session).toEqual({ session_id: sessionId, name: 'Other' })
    expect(items[0].awaits.caps_left_usd.session_daily).toBeCloseTo(170, 0)
    for await (const event of client.stream('trading.watchExecution', bad.id, account.token)) {
      if (event.state !== 'awaiting_confirmation') continue
      expect(event.awaits).toEqual(items[0].awaits)
      break
    }
  })

  test('a high risk is traded only where the approval says so, and waits on without', async () => {
    const client = world.clients[by]
    const { account, agent } = await withAgent(client)
    const order = account.trade('USDC', 'RUG', '20', 'rug', { skip_risk: true })
    const { execution_id } = await output(client.call('trading.execute', order, agent))
    const decide = (more: object) =>
      client.call('trading.confirmExecution', { execution_id, approve: true, ...more }, account.userToken)
    for (const acknowledge of [undefined, [], ['risk_unknown']])
      expect(await decide(acknowledge === undefined ? {} : { acknowledge })).toMatchObject({
        code: 'INVALID_ARGUMENT',
        violations: [
          { path: 'acknowledge', message: expect.stringMatching(/must have risk_high: the risk is high now/) },
        ],
      })
    const waiting = await output(client.call('trading.getExecution', { execution_id }, account.token))
    expect(waiting).toMatchObject({ state: 'awaiting_confirmation', awaits: { risk_skipped: true } })
    expect(await output(decide({ acknowledge: ['risk_high'] }))).toMatchObject({ status: 'success', execution_id })
  })

  test('declining needs no word on the risk', async () => {
    const client = world.clients[by]
    const { account, agent } = await withAgent(client)
    const order = account.trade('USDC', 'RUG', '20', 'rug', { skip_risk: true })
    const { execution_id } = await output(client.call('trading.execute', order, agent))
    const decline = { execution_id, approve: false }
    expect(await client.call('trading.confirmExecution', decline, account.userToken)).toMatchObject({ ok: true })
  })
})
