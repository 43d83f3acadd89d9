import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { output } from '../clients/client.ts'
import { mcpClient } from '../clients/mcp.ts'
import { sharedWorld, type World } from '../world.ts'
import { violationsOf } from './axe.ts'
import { expectNoSideways, noBrowser, openTab, sharedBrowser, trySandbox } from './browser.ts'

describe.skipIf(noBrowser)('agents', () => {
  let world: World
  let browser: Browser
  beforeAll(async () => {
    ;[world, browser] = await Promise.all([sharedWorld(), sharedBrowser()])
  })
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
  })

  test('an agent gets a session of its own, and its trades wait for a yes or a no', async () => {
    await using tab = await openTab(browser, world.urls.http, { viewport: { width: 390, height: 800 } })
    const { page } = tab
    const { password } = await trySandbox(page)
    await page.getByRole('link', { name: 'Agents' }).click()
    await page.getByText('Nothing waits.').waitFor()
    await page.getByLabel('Your password').fill(password)
    await page.getByRole('button', { name: 'Continue' }).click()
    const daily = page.getByLabel(/At most in 24 hours/)
    const above = page.getByLabel(/You confirm each trade worth more than this/)
    await above.fill('50')
    await daily.fill('')
    await page.getByRole('button', { name: 'Make a session for it' }).click()
    await page.getByText(/^Its trades of up to 50 USD each need no confirmation/).waitFor()
    await page.getByRole('button', { name: 'I have them' }).click()
    await above.fill('0')
    await daily.fill('500')
    await page.getByRole('button', { name: 'Make a session for it' }).click()
    await page.locator('pre').first().waitFor()
    const shown = async (at: number) => (await page.locator('pre').nth(at).textContent()) ?? ''
    const [lines, config] = [await shown(0), await shown(1)]
    const [, token = ''] = /^export TRIDENT_TOKEN=(\S+)$/m.exec(lines) ?? []
    const { url, headers } = JSON.parse(config).mcpServers.trident
    expect([url, headers]).toEqual([`${world.urls.http}/mcp`, { Authorization: `Bearer ${token}` }])
    await using agent = await mcpClient(world.urls.http, token)
    expect(await agent.tools()).toContain('trade')
    expect(await violationsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'I have them' }).click()
    expect(await page.content()).not.toContain(token)

    const { rest } = world.clients
    const { session } = await output(rest.call('auth.whoAmI', {}, token))
    expect(session).toMatchObject({
      name: 'Agent',
      grant: { scopes: ['read', 'trade'], max_trade_usd: 100, max_daily_usd: 500, confirm_above_usd: 0 },
    })
    const [chain] = await output(rest.call('trading.listChains', {}, token))
    const address = (name: string) => chain.tokens.find(({ symbol }: { symbol: string }) => symbol === name).address
    const ask = async (amount_in: string, bought = 'WETH', more: object = {}) => {
      const swap = { chain_id: chain.chain_id, token_in_address: address('USDC'), token_out_address: address(bought) }
      const input = { ...swap, amount_in, slippage_bps: 100, simulate_only: false }
      const order = { input, confirm: true, wallet_ref: 'default', idempotency_key: `agent-${amount_in}`, ...more }
      const waits = await output(rest.call('trading.execute', order, token))
      expect(waits).toMatchObject({ status: 'pending' })
      return waits.confirm_url as string
    }
    await ask('30')
    const link = await ask('40')
    await page.getByRole('link', { name: 'Portfolio' }).click()
    await page.getByRole('link', { name: '2 waiting for you' }).click()
    const card = page.getByRole('article', { name: 'Sell 30 USDC' })
    const told = (await card.textContent()) ?? ''
    expect(told).toMatch(/You sell30 USDCYou receive about0\.0099\d* WETHAt least0\.0098\d* WETHWorth\$\d+/)
    expect(told).toMatch(/Slippage that it allows1 %The session may still trade today\$500/)
    expect(told).toMatch(/Session that asksAgent \([0-9a-f]{8}\)Label that it chosetrading_team.*Risk: (low|medium)/)
    expect(await violationsOf(page)).toEqual([])
    await expectNoSideways(page)
    await card.getByRole('button', { name: 'Approve' }).click()
    await page.getByText(/^Swapped 30 USDC for/).waitFor()
    await page.getByRole('article', { name: 'Sell 40 USDC' }).getByRole('button', { name: 'Decline' }).click()
    await page.getByText('The trade was declined.').waitFor()
    // A high risk is approved only by a word of its own.
    await ask('20', 'RUG', { skip_risk: true })
    const risky = page.getByRole('article', { name: 'Sell 20 USDC' })
    await risky.getByText('The agent asked to trade whatever the risk.').waitFor()
    expect(await risky.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true)
    await risky.getByLabel('I trade although the risk is high').check()
    expect(await violationsOf(page)).toEqual([])
    await risky.getByRole('button', { name: 'Approve' }).click()
    await page.getByText(/^Swapped 20 USDC for/).waitFor()
    await page.goto(link)
    await page.reload()
    await page.getByText('The trade of this link waits no longer').waitFor()
    await page.getByRole('link', { name: 'Agents' }).waitFor()
    const { items } = await output(rest.call('trading.listExecutions', {}, token))
    expect(items).toMatchObject([
      { status: 'success', fill: { amount_in: '20' } },
      { status: 'rejected', message: 'The account declined it.' },
      { status: 'success', fill: { amount_in: '30' } },
    ])
    expect(await page.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage })')).not.toContain(token)
    expect(tab.wrongs).toEqual([])
  })
})
