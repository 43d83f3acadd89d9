import { readFile } from 'node:fs/promises'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sharedWorld, type World } from '../world.ts'
import { violationsOf } from './axe.ts'
import { expectNoSideways, noBrowser, openTab, sharedBrowser, trySandbox } from './browser.ts'
import { fillOrder, tokenOf, trade, tradeMany } from './walks.ts'

describe.skipIf(noBrowser)('what was traded', () => {
  let world: World
  let browser: Browser
  let url: string
  beforeAll(async () => {
    ;[world, browser] = await Promise.all([sharedWorld(), sharedBrowser()])
    url = world.urls.http
  })
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
  })

  test('from an account to a profit or a loss, with its reasons, in the portfolio and in the list of trades', async () => {
    await using tab = await openTab(browser, url)
    const { page } = tab
    await trySandbox(page)
    await fillOrder(page, 'USDC', 'WETH', '1500')
    await trade(page)
    await page.getByRole('link', { name: 'Portfolio' }).click()
    const positions = page.getByRole('region', { name: 'Positions' })
    const weth = positions.getByRole('row', { name: /WETH/ })
    await weth.getByText(/^5\.49\d+ WETH$/).waitFor()
    expect(await weth.textContent()).toMatch(/\$16,49\d\.\d\d16\.\d+ %\$3,000\.\d\d\$3,000\.00−\$\d\.\d\d/)
    expect(await positions.textContent()).toMatch(/ETH.*USDC.*WBTC|ETH.*WBTC.*USDC/)
    await fillOrder(page, 'WETH', 'USDC', '0.2')
    await trade(page)
    await page.getByRole('link', { name: 'Portfolio' }).click()
    const closed = page.getByRole('region', { name: 'Closed trades' })
    await closed.getByText('0.2 WETH').waitFor()
    expect(await closed.textContent()).toMatch(/0\.2 WETH\$3,000\.\d\d\$2,99\d\.\d\d−\$\d\.\d+\$0\.\d+\$0\.\d+\d+ s/)
    await page.locator('.chart canvas').first().waitFor()
    await page.getByText('Profit over time as a table').click()
    await page
      .getByRole('region', { name: 'Profit over time' })
      .getByText(/−\$\d+\.\d\d/)
      .first()
      .waitFor()
    expect(await violationsOf(page)).toEqual([])
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save closed trades as CSV' }).click()
    const lines = (await readFile(await (await saving).path(), 'utf8')).trim().split('\r\n')
    expect(lines[0]).toMatch(/^kind,execution_id,closed_at/)
    expect(lines.some((line) => line.includes(',WETH,'))).toBe(true)
    await closed.getByRole('link', { name: '0.2 WETH' }).click()
    await page
      .getByText(/Swapped 0\.2 WETH for \d+\.\d+ USDC/)
      .first()
      .waitFor()
    expect(await violationsOf(page)).toEqual([])
    expect(tab.wrongs).toEqual([])
  })

  test('trades are filtered by state, token, agent and hash, and opened by id', async () => {
    await using tab = await openTab(browser, url, { viewport: { width: 390, height: 800 }, colorScheme: 'dark' })
    const { page } = tab
    await trySandbox(page)
    await page.getByRole('link', { name: 'Trades', exact: true }).click()
    await page.getByText('Nothing was traded yet.').waitFor()
    await fillOrder(page, 'USDC', 'WETH', '100')
    await trade(page)
    const id = (await page.locator('main a[href^="#/trades/"]').textContent()) ?? ''
    await page.getByRole('link', { name: 'Trades', exact: true }).click()
    const row = page.getByRole('region', { name: 'Trades' }).getByRole('row').filter({ hasText: '100 USDC' })
    await row.getByText('100 USDC → 0.03').waitFor()
    const hash = (await row.locator('code').getAttribute('title')) ?? ''
    const nothing = page.getByText('No trade fits.')
    await page.getByLabel('State').selectOption('failed, for any reason')
    await nothing.waitFor()
    await page.getByLabel('State').selectOption('succeeded')
    await row.waitFor()
    // A trade enters the filtered list when its state comes to fit.
    await tradeMany(world.clients.rest, await tokenOf(page), 1)
    await page.getByRole('region', { name: 'Trades' }).getByText('1 USDC → 0.0003').waitFor()
    await page.getByLabel('Token').fill('WBTC')
    await nothing.waitFor()
    await page.getByLabel('Token').fill('WETH')
    await row.waitFor()
    await page.getByLabel('Label').fill('another')
    await nothing.waitFor()
    await page.getByLabel('Label').fill('')
    await page.getByLabel('Trade or transaction').fill(`0x${'0'.repeat(64)}`)
    await nothing.waitFor()
    await page.getByLabel('Trade or transaction').fill(hash)
    await row.waitFor()
    expect(await violationsOf(page)).toEqual([])
    await expectNoSideways(page)
    await page.getByLabel('Trade or transaction').fill(id)
    await page.getByRole('button', { name: 'Open the trade' }).click()
    await page.getByRole('region', { name: 'Life of the trade' }).getByText(id).waitFor()
    await expectNoSideways(page)
    expect(tab.wrongs).toEqual([])
  })

  test('a hundred trades of another program appear without a reload', async () => {
    await using tab = await openTab(browser, url)
    const { page } = tab
    await trySandbox(page)
    await page.getByRole('link', { name: 'Trades', exact: true }).click()
    await page.getByText('Nothing was traded yet.').waitFor()
    const count = 100
    await tradeMany(world.clients.rest, await tokenOf(page), count)
    const rows = page.getByRole('region', { name: 'Trades' }).getByText('success')
    await expect.poll(() => rows.count(), { timeout: 30_000 }).toBe(count)
    expect(await page.getByText('Nothing was traded yet.').count()).toBe(0)
    expect(tab.wrongs).toEqual([])
  })
})
